#pragma once

#include "lower/builder.h"
#include "lower/op.h"

// Random numbers of float32 or float64. ONNX Runtime has no kernels for the random operators from opset 22 on: there,
// they are hashed from a key that is drawn by Dropout.
namespace tonnx::lower {

// Uniform in [low, high), of this shape (rank 1, int64).
Value* uniform_numbers(Builder& b, Value* shape, DType dtype, double low = 0, double high = 1);
// Normally distributed, of this shape (rank 1, int64).
Value* normal_numbers(Builder& b, Value* shape, DType dtype, double mean = 0, double deviation = 1);
// The same in the dtype and shape of `like`.
Value* uniform_like(Builder& b, Value* like, double low = 0, double high = 1);
Value* normal_like(Builder& b, Value* like, double mean = 0, double deviation = 1);

// Indices along the last axis of `weights` (batch, n), float32, drawn with replacement with these weights: (batch,
// count), int64.
Value* drawn_positions(Builder& b, Value* weights, std::int64_t count);

// Dropout of x: its values, and the mask (bool). The caller handles a ratio of 1. In training mode it is the operator
// itself, for a trainer. Otherwise its mask is used too, because ONNX Runtime removes a Dropout with an unused mask
// from inference sessions, and below opset 12 does not drop anything.
struct Dropped {
  Value* values;
  Value* mask;
};
Dropped dropped(const Op& op, Value* x, double ratio);

}  // namespace tonnx::lower
