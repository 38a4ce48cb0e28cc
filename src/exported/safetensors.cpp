#include "exported/safetensors.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "exported/json.h"
#include "ir/checked.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Code;
using ir::DType;
using ir::Error;

namespace {

constexpr std::uint64_t kLongestHeader = 100'000'000;

constexpr std::pair<std::string_view, DType> kDtypes[] = {
    {"BOOL", DType::Bool},          {"U8", DType::UInt8},      {"I8", DType::Int8},
    {"I16", DType::Int16},          {"U16", DType::UInt16},    {"I32", DType::Int32},
    {"U32", DType::UInt32},         {"I64", DType::Int64},     {"U64", DType::UInt64},
    {"F16", DType::Float16},        {"BF16", DType::BFloat16}, {"F32", DType::Float32},
    {"F64", DType::Float64},        {"C64", DType::Complex64}, {"F8_E4M3", DType::Float8E4M3FN},
    {"F8_E5M2", DType::Float8E5M2},
};

DType dtype_of(const std::string& name, const std::string& key) {
  for (const auto& [known, dtype] : kDtypes)
    if (name == known) return dtype;
  throw Error(Code::Unsupported, "weight '" + key + "' has dtype " + name + ", which is not supported");
}

[[noreturn]] void damaged(const std::string& path, const std::string& why) {
  throw Error(Code::File, "'" + path + "' is not a state dict of torch.save or safetensors, or is damaged: " + why);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) throw Error(Code::File, "'" + path + "' cannot be read");
  return text;
}

ir::Tensor tensor_of(const std::string& path, const std::string& key, const Json& entry, std::uint64_t begin,
                     std::uint64_t size) {
  ir::Tensor tensor;
  tensor.dtype = dtype_of(entry.at("dtype").get<std::string>(), key);
  tensor.dims = entry.at("shape").get<std::vector<std::int64_t>>();
  const Json& offsets = entry.at("data_offsets");
  if (offsets.size() != 2) damaged(path, "'" + key + "' has no data_offsets");
  const auto from = static_cast<std::uint64_t>(offsets[0].get<std::int64_t>());
  const auto to = static_cast<std::uint64_t>(offsets[1].get<std::int64_t>());
  const auto count = ir::checked_count(tensor.dims);
  const auto bytes =
      count ? ir::checked_multiply(*count, static_cast<std::int64_t>(ir::size_of(tensor.dtype))) : std::nullopt;
  if (!bytes) damaged(path, "a size of '" + key + "' is negative, or their product does not fit in 64 bits");
  const auto wanted = static_cast<std::uint64_t>(*bytes);
  if (from > to || to > size) damaged(path, "'" + key + "' extends beyond the end of the file");
  if (to - from != wanted)
    damaged(path,
            "'" + key + "' has " + std::to_string(to - from) + " bytes, but its shape needs " + std::to_string(wanted));
  tensor.strides = ir::contiguous_strides(tensor.dims);
  tensor.storage = ir::Storage::file(path, begin + from, static_cast<std::size_t>(wanted));
  return tensor;
}

}  // namespace

StateDict read_safetensors(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(file.tellg());
  file.seekg(0);
  std::uint64_t length = 0;
  if (!file.read(reinterpret_cast<char*>(&length), sizeof(length)) || length > kLongestHeader ||
      length > size - sizeof(length))
    damaged(path, "it has no header");
  std::string header(static_cast<std::size_t>(length), '\0');
  if (!file.read(header.data(), static_cast<std::streamsize>(length))) damaged(path, "it is truncated");
  const std::uint64_t begin = sizeof(length) + length;
  StateDict tensors;
  try {
    const JsonDocument entries(header);
    for (const auto& [key, entry] : entries.root().members())
      if (key != "__metadata__")
        tensors[std::string(key)] = tensor_of(path, std::string(key), entry, begin, size - begin);
  } catch (const JsonError& error) {
    damaged(path, error.what());
  }
  return tensors;
}

StateDict read_safetensors_index(const std::string& path) {
  std::set<std::string> files;
  try {
    const JsonDocument index(text_of(path));
    for (const auto& [key, file] : index.root().at("weight_map").members()) files.insert(file.get<std::string>());
  } catch (const JsonError& error) {
    damaged(path, error.what());
  }
  StateDict tensors;
  for (const std::string& file : files) {
    const std::filesystem::path name(file);
    if (name.is_absolute() || std::ranges::find(name, "..") != name.end())
      damaged(path, "it refers to " + file + ", outside of its folder");
    tensors.merge(read_safetensors((std::filesystem::path(path).parent_path() / name).string()));
  }
  return tensors;
}

}  // namespace tonnx::exported
