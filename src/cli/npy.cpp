#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#include "cli/input_spec.h"
#include "cli/npy_header.h"
#include "cli/npz.h"

namespace tonnx::cli {
namespace {

[[noreturn]] void refuse_array(const std::string& path, const std::string& why) {
  throw Error(TONNX_STATUS_FILE, path + ": " + why);
}

struct Kind {
  const char* descr;
  tonnx_dtype dtype;
};

constexpr Kind kKinds[] = {
    {"<f4", TONNX_DTYPE_FLOAT32},   {"<f8", TONNX_DTYPE_FLOAT64},     {"<f2", TONNX_DTYPE_FLOAT16},
    {"<i8", TONNX_DTYPE_INT64},     {"<i4", TONNX_DTYPE_INT32},       {"<i2", TONNX_DTYPE_INT16},
    {"|i1", TONNX_DTYPE_INT8},      {"|u1", TONNX_DTYPE_UINT8},       {"|b1", TONNX_DTYPE_BOOL},
    {"<u2", TONNX_DTYPE_UINT16},    {"<u4", TONNX_DTYPE_UINT32},      {"<u8", TONNX_DTYPE_UINT64},
    {"<c8", TONNX_DTYPE_COMPLEX64}, {"<c16", TONNX_DTYPE_COMPLEX128},
};

tonnx_dtype dtype_of(const std::string& path, const std::string& descr) {
  const auto find = [](const std::string& text) -> std::optional<tonnx_dtype> {
    const auto found = std::ranges::find_if(kKinds, [&](const Kind& kind) { return text == kind.descr; });
    return found == std::end(kKinds) ? std::nullopt : std::optional(found->dtype);
  };
  if (const auto dtype = find(descr)) return *dtype;
  if (const std::string little = "<" + descr.substr(std::min<std::size_t>(1, descr.size()));
      descr.starts_with('>') && find(little))
    refuse_array(path, "dtype '" + descr + "' is big-endian; save the array as '" + little + "' (NumPy: x.astype('" +
                           little + "'))");
  refuse_array(path, "dtype '" + descr + "' is not supported");
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_array(path, "the file cannot be opened");
  constexpr std::size_t kPart = std::size_t{1} << 20;
  std::string bytes;
  for (std::size_t size = 0; file; bytes.resize(size)) {
    bytes.resize(size + kPart);
    file.read(bytes.data() + size, static_cast<std::streamsize>(kPart));
    size += static_cast<std::size_t>(file.gcount());
  }
  if (!file.eof()) refuse_array(path, "the file cannot be read");
  return bytes;
}

// Reorders Fortran order to row-major.
std::vector<char> reorder(const char* data, const std::vector<std::int64_t>& dims, std::size_t element,
                          std::size_t size) {
  std::vector<char> out(size);
  std::vector<std::int64_t> at(dims.size(), 0);
  for (std::size_t i = 0; i < size; i += element) {
    std::int64_t source = 0, step = 1;
    for (std::size_t k = 0; k < dims.size(); ++k) {
      source += at[k] * step;
      step *= dims[k];
    }
    std::memcpy(out.data() + i, data + static_cast<std::size_t>(source) * element, element);
    for (std::size_t k = dims.size(); k-- > 0 && ++at[k] == dims[k];) at[k] = 0;
  }
  return out;
}

}  // namespace

std::string npy_descr(tonnx_dtype dtype) {
  const auto found = std::ranges::find_if(kKinds, [&](const Kind& kind) { return kind.dtype == dtype; });
  return found == std::end(kKinds) ? "" : found->descr;
}

Tensor read_npy(const std::string& path) {
  const std::string bytes = read_file(path);
  const NpyHeader header = [&] {
    try {
      return parse_npy_header(bytes);
    } catch (const NpyFault& fault) {
      refuse_array(path, fault.what());
    }
  }();
  const tonnx_dtype dtype = dtype_of(path, header.descr);
  const std::size_t element = tonnx_dtype_size(dtype);
  const auto size = byte_count(header.shape, dtype);
  if (!size) refuse_array(path, "the shape is too large: the product of its sizes does not fit in 64 bits");
  if (bytes.size() - header.end < *size)
    refuse_array(path, "the file is truncated: it has " + std::to_string(bytes.size() - header.end) +
                           " bytes of data, but its header declares " + std::to_string(*size));
  const char* const data = bytes.data() + header.end;
  if (!header.fortran_order) return Tensor(dtype, header.shape, data, *size);
  const std::vector<char> rows = reorder(data, header.shape, element, *size);
  return Tensor(dtype, header.shape, rows.data(), rows.size());
}

}  // namespace tonnx::cli
