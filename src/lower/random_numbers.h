#pragma once

#include "lower/builder.h"
#include "lower/op.h"

// Random numbers of float32 or float64. ONNX Runtime has no kernels for the random operators of opset 22 and newer:
// from there on they are hashed from a key of coins that it draws by Dropout.
namespace tonnx::lower {

// Uniform in [low, high), of this shape (rank 1, int64).
Value* uniform_numbers(Builder& b, Value* shape, DType dtype, double low = 0, double high = 1);
// Normal numbers.
Value* normal_numbers(Builder& b, Value* shape, DType dtype, double mean = 0, double deviation = 1);
// The same in the dtype and sizes of `like`.
Value* uniform_like(Builder& b, Value* like, double low = 0, double high = 1);
Value* normal_like(Builder& b, Value* like, double mean = 0, double deviation = 1);

// Positions along the last axis of `weights` (batch, n), float32, drawn with these weights and put back: (batch,
// count), int64.
Value* drawn_positions(Builder& b, Value* weights, std::int64_t count);

// Dropout of x: its values, and the mask (bool). A ratio of 1 is for the caller. Where the export is in training mode
// it is the operator alone, for a trainer; else its mask is read, for ONNX Runtime takes a Dropout whose mask nobody
// reads out of sessions for inference, and below opset 12 drops nothing.
struct Dropped {
  Value* values;
  Value* mask;
};
Dropped dropped(const Op& op, Value* x, double ratio);

}  // namespace tonnx::lower
