#pragma once

#include <vector>

#include "ir/facts.h"
#include "ir/tensor.h"

// Representation of complex tensors in a model. ONNX has no operators for them, so they are real tensors with a last
// axis of 2: real and imaginary part.
namespace tonnx::ir {

// The dtype of the parts: float32 for complex64. Returns any other dtype unchanged.
DType part_dtype(DType dtype);

// A view of the same storage with the axis of the parts. Returns a tensor that is not complex unchanged.
Tensor with_parts(const Tensor& tensor);
std::vector<Tensor> with_parts(std::vector<Tensor> tensors);
// The facts of with_parts(tensor), without the constant.
Facts with_parts(const Facts& facts);
// The facts of one part, without the constant.
Facts of_part(const Facts& facts);

// One part of a scalar, or of a tensor's elements in fresh storage. The imaginary part of a real scalar is 0.
Constant part_of(const Constant& constant, bool imaginary);

// True for a complex scalar or tensor, or a list of them.
bool is_complex(const Constant& constant);

}  // namespace tonnx::ir
