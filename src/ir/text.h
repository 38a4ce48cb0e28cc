#pragma once

#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "ir/tensor.h"

namespace tonnx::ir {

// The shortest string that reads back as the same number, in any locale: "1.5", "1.", "1e+20", "inf", "nan". It always
// distinguishes a float from an integer.
std::string format_float(double value);
std::string format_float(float value);

// The string in double quotes, with
// , \t, \", \\ and \xNN for other control characters.
std::string quote(std::string_view text);

// The string up to the first line break: the message of a library without its stack trace.
std::string first_line(std::string_view text);

// "a, b, c": what `text` makes of each item.
template <std::ranges::input_range Items, class Text = std::identity>
std::string comma_list(const Items& items, Text text = {}) {
  std::string list;
  bool first = true;
  for (const auto& item : items) {
    if (!first) list += ", ";
    first = false;
    list += std::invoke(text, item);
  }
  return list;
}

// "1 input", "2 inputs"
std::string counted(std::size_t count, std::string_view noun);

// "64x3"; empty for rank 0.
std::string format_dims(std::span<const std::int64_t> dims);

// "float32[64,3]"; "float32[]" for rank 0.
std::string format_type(DType dtype, std::span<const std::int64_t> dims);

// "{9216}", "{1, 2}": the elements in row-major order. "<Tensor 64x3>" for more than `limit` elements, without data,
// and for dtypes that are not numbers. Reads the storage only if it prints the elements.
std::string format_elements(const Tensor& tensor, std::int64_t limit);

}  // namespace tonnx::ir
