#pragma once

#include <vector>

#include "ir/facts.h"
#include "ir/tensor.h"

// How a model holds complex tensors, which ONNX has no operators for: as real ones with a last axis of 2, for the real
// and the imaginary part.
namespace tonnx::ir {

// The dtype of the parts: float32 of complex64. Any other dtype comes back as it is.
DType part_dtype(DType dtype);

// The same memory seen with the axis of the parts; a tensor that is not complex comes back as it is.
Tensor with_parts(const Tensor& tensor);
std::vector<Tensor> with_parts(std::vector<Tensor> tensors);
// Facts of the same, without the constant.
Facts with_parts(const Facts& facts);
// Facts of one of the parts, without the constant.
Facts of_part(const Facts& facts);

// One part of a number or of a tensor's elements, the latter in memory of its own. The imaginary part of a real number
// is 0.
Constant part_of(const Constant& constant, bool imaginary);

// A complex number or tensor, or a list of them.
bool is_complex(const Constant& constant);

}  // namespace tonnx::ir
