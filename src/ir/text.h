#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/tensor.h"

namespace tonnx::ir {

// The shortest text that reads back as the same number, in any locale: "1.5", "1.", "1e+20", "inf", "nan". It always
// tells a float from an integer.
std::string format_float(double value);
std::string format_float(float value);

// The text in double quotes, with \n, \t, \", \\ and \xNN for other control characters.
std::string quote(std::string_view text);

// Up to the first line break: what others say of a failure, without what they say of themselves.
std::string first_line(std::string_view text);

// "64x3"; empty for rank 0.
std::string format_dims(std::span<const std::int64_t> dims);

// "float32[64,3]"; "float32[]" for rank 0.
std::string format_type(DType dtype, std::span<const std::int64_t> dims);

// "{9216}", "{1, 2}": the elements in row-major order; "<Tensor 64x3>" above `limit` elements and where there are no
// data or the dtype has no number form. Reads the storage only when it prints the elements.
std::string format_elements(const Tensor& tensor, std::int64_t limit);

}  // namespace tonnx::ir
