#include "ir/text.h"

#include <array>
#include <charconv>
#include <string>

namespace tonnx::ir {
namespace {

template <class T>
std::string shortest(T value) {
  std::array<char, 64> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), result.ptr);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += '.';
  return text;
}

}  // namespace

std::string format_float(double value) { return shortest(value); }
std::string format_float(float value) { return shortest(value); }

std::string quote(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string format_dims(std::span<const std::int64_t> dims) {
  std::string out;
  for (std::size_t i = 0; i < dims.size(); ++i) out += (i ? "x" : "") + std::to_string(dims[i]);
  return out;
}

std::string format_type(DType dtype, std::span<const std::int64_t> dims) {
  std::string text = std::string(name_of(dtype)) + "[";
  for (std::size_t i = 0; i < dims.size(); ++i) text += (i ? "," : "") + std::to_string(dims[i]);
  return text + "]";
}

std::string format_elements(const Tensor& tensor, std::int64_t limit) {
  const std::int64_t count = tensor.numel();
  if (count > limit || !tensor.storage || !has_number_form(tensor.dtype)) {
    return tensor.dims.empty() ? "<Tensor>" : "<Tensor " + format_dims(tensor.dims) + ">";
  }
  std::string out = "{";
  for (std::int64_t i = 0; i < count; ++i) {
    if (i) out += ", ";
    if (tensor.dtype == DType::UInt64) {
      out += std::to_string(static_cast<std::uint64_t>(tensor.as_int64(i)));
    } else if (!is_floating(tensor.dtype)) {
      out += std::to_string(tensor.as_int64(i));
    } else if (tensor.dtype == DType::Float64) {
      out += format_float(tensor.as_double(i));
    } else {
      out += format_float(static_cast<float>(tensor.as_double(i)));
    }
  }
  return out + "}";
}

}  // namespace tonnx::ir
