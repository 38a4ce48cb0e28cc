#include "ir/dtype_spelling.h"

#include <string>

namespace tonnx::ir {
namespace {

// Lower case, without underscores.
std::string plain(std::string_view text) {
  std::string letters;
  for (const char c : text)
    if (c != '_') letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return letters;
}

}  // namespace

std::optional<DType> dtype_from_spelling(std::string_view name) {
  for (const std::string_view prefix : {"torch.", "numpy.", "np.", "TensorProto.", "onnx."})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (name.ends_with("Tensor")) name.remove_suffix(std::string_view("Tensor").size());
  if (name.ends_with("_t")) name.remove_suffix(2);
  if (name.empty()) return std::nullopt;
  const std::string wanted = plain(name);
  constexpr int kLast = static_cast<int>(DType::Float8E8M0);
  for (int number = 0; number <= kLast; ++number) {
    const auto dtype = static_cast<DType>(number);
    const bool exists = jit_name(dtype) != jit_name(DType::Undefined);
    if (exists && (plain(name_of(dtype)) == wanted || plain(jit_name(dtype)) == wanted)) return dtype;
  }
  return dtype_from_name(wanted);
}

}  // namespace tonnx::ir
