#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// How a kernel moves over the axes behind batch and channels.
struct Geometry {
  Dims stride, pads, dilation, output_padding;  // pads: all begins, then all ends
  std::int64_t groups = 1;
  Value* open_groups = nullptr;  // rank 0: how many, where a run tells
};

// Whether ONNX, or ONNX Runtime at any opset, has no convolution of this dtype, float64 and integers.
bool lacks_convolution(DType dtype);

// The convolution, or the transposed one, of x (batch, channels, ...) as a product of matrices, in its own dtype and
// without a bias. Refuses kernels whose sizes behind the channels are not fixed for every run.
Value* convolution_by_product(Op& op, bool transposed, Value* x, Value* weight, const Geometry& g);

}  // namespace tonnx::lower
