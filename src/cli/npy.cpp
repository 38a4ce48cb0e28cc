#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>

#include "cli/input_spec.h"

namespace tonnx::cli {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(TONNX_FILE, path + ": " + why);
}

struct Kind {
  const char* descr;
  tonnx_dtype dtype;
};

constexpr Kind kKinds[] = {
    {"<f4", TONNX_DTYPE_FLOAT32}, {"<f8", TONNX_DTYPE_FLOAT64}, {"<f2", TONNX_DTYPE_FLOAT16},
    {"<i8", TONNX_DTYPE_INT64},   {"<i4", TONNX_DTYPE_INT32},   {"<i2", TONNX_DTYPE_INT16},
    {"|i1", TONNX_DTYPE_INT8},    {"|u1", TONNX_DTYPE_UINT8},   {"|b1", TONNX_DTYPE_BOOL},
    {"<u2", TONNX_DTYPE_UINT16},  {"<u4", TONNX_DTYPE_UINT32},  {"<u8", TONNX_DTYPE_UINT64},
    {"<c8", TONNX_DTYPE_COMPLEX64}, {"<c16", TONNX_DTYPE_COMPLEX128},
};

// Fortran order to row-major.
std::vector<char> reorder(const char* data, const std::vector<std::int64_t>& dims, std::size_t element) {
  std::int64_t count = 1;
  for (const std::int64_t d : dims) count *= d;
  std::vector<char> out(static_cast<std::size_t>(count) * element);
  std::vector<std::int64_t> at(dims.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t source = 0, step = 1;
    for (std::size_t k = 0; k < dims.size(); ++k) {
      source += at[k] * step;
      step *= dims[k];
    }
    std::memcpy(out.data() + static_cast<std::size_t>(i) * element, data + static_cast<std::size_t>(source) * element,
                element);
    for (std::size_t k = dims.size(); k-- > 0 && ++at[k] == dims[k];) at[k] = 0;
  }
  return out;
}

}  // namespace

Tensor read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "the file cannot be opened");
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0) refuse(path, "this is no .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const bool is_short = bytes[6] == 1;
  const std::size_t length = is_short ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  const std::size_t begin = (is_short ? 10 : 12), start = begin + length;
  if (start > bytes.size()) refuse(path, "the file is truncated");
  const std::string header = bytes.substr(begin, length);
  static const std::regex form(
      R"(.*'descr'\s*:\s*'([^']*)'.*'fortran_order'\s*:\s*(True|False).*'shape'\s*:\s*\(([^)]*)\)[\s\S]*)");
  std::smatch match;
  if (!std::regex_match(header, match, form)) refuse(path, "its header is not understood");
  const Kind* kind = nullptr;
  for (const Kind& k : kKinds)
    if (match[1] == k.descr) kind = &k;
  if (!kind) refuse(path, "dtype '" + match[1].str() + "' is not supported");
  std::vector<std::int64_t> dims;
  static const std::regex number(R"(\d+)");
  const std::string shape = match[3];
  for (std::sregex_iterator it(shape.begin(), shape.end(), number), end; it != end; ++it)
    dims.push_back(std::stoll(it->str()));
  std::size_t size = tonnx_dtype_size(kind->dtype);
  for (const std::int64_t d : dims) size *= static_cast<std::size_t>(d);
  if (bytes.size() - start < size) refuse(path, "the file is truncated");
  if (match[2] == "False") return Tensor(kind->dtype, dims, bytes.data() + start, size);
  const std::vector<char> rows = reorder(bytes.data() + start, dims, tonnx_dtype_size(kind->dtype));
  return Tensor(kind->dtype, dims, rows.data(), rows.size());
}

}  // namespace tonnx::cli
