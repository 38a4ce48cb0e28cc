#pragma once

#include <cstdint>
#include <optional>

#include "lower/op.h"

// Quantisation on a grid: round(x / scale) + zero_point, half to even, clamped to two bounds.
namespace tonnx::lower {

struct Grid {
  Value* scale;       // float32; rank 0, rank 1 along `axis`, or a shape that broadcasts to the tensor's
  Value* zero_point;  // of any dtype, in the shape of the scale; null: 0
  std::int64_t low;   // the bounds of the integers
  std::int64_t high;
  std::optional<std::int64_t> axis = std::nullopt;
  // The number of elements along the axis for each scale; the scale then has the tensor's rank. Only if holds_blocks().
  std::optional<std::int64_t> block = std::nullopt;
};

// True if DequantizeLinear supports blocks of these integers at the opset.
bool holds_blocks(const Builder& b, const Grid& grid, const Value* integers);

// The scale, and the zero point between `low` and `high`, for the range of x extended to 0; both rank 0 and float32.
// The scale is at least `least`.
Grid grid_of_range(Builder& b, Value* x, std::int64_t low, std::int64_t high, double least);

// The integers as `dtype`: by QuantizeLinear if it supports them at the opset, else by arithmetic.
Value* quantize(Builder& b, Value* x, const Grid& grid, DType dtype);
// The dequantised integers, as float32. Does not clamp.
Value* dequantize(Builder& b, Value* x, const Grid& grid);
// Quantises and dequantises x, as float32.
Value* snap(Builder& b, Value* x, const Grid& grid);
// round(x / scale) + zero_point without clamping, as floats.
Value* steps(Builder& b, Value* x, const Grid& grid);

}  // namespace tonnx::lower
