#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// Stride, padding and dilation of a kernel over the spatial axes (those after batch and channels).
struct Geometry {
  Dims stride, pads, dilation, output_padding;  // pads: all begins, then all ends
  std::int64_t groups = 1;
  Value* open_groups = nullptr;  // rank 0: the number of groups if it is dynamic
};

// True if ONNX has no (transposed) convolution of this dtype (integers), or the target has none (float64).
bool lacks_convolution(const Builder& b, bool transposed, const Value* x);

// The convolution or transposed convolution of x (batch, channels, ...) as a matrix product, in the dtype of x and
// without a bias. Refuses a kernel whose spatial sizes are not fixed.
Value* convolution_by_product(Op& op, bool transposed, Value* x, Value* weight, const Geometry& g);

}  // namespace tonnx::lower
