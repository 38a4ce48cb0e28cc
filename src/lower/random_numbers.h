#pragma once

#include "lower/builder.h"
#include "lower/op.h"

// Random numbers of float32 or float64. If the target has no kernels for the random operators (ONNX Runtime from opset
// 22 on), they are hashed from a key that is drawn by Dropout.
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
// itself, for a trainer. Otherwise its mask is used too on targets with Defect::DropoutRemoval; below opset 12, where
// Dropout never drops anything in inference, it is formed from random numbers.
struct Dropped {
  Value* values;
  Value* mask;
};
Dropped dropped(const Op& op, Value* x, double ratio);

}  // namespace tonnx::lower
