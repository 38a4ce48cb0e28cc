#pragma once

#include <cstdint>
#include <optional>

#include "lower/op.h"

// Numbers as integers on a grid: round(x / scale) + zero_point, halves to even, held between two bounds.
namespace tonnx::lower {

struct Grid {
  Value* scale;       // float32; of rank 0, of rank 1 along `axis`, or of sizes that broadcast to the tensor's
  Value* zero_point;  // of any dtype, sizes as those of the scale; null: 0
  std::int64_t low;   // the bounds of the integers
  std::int64_t high;
  std::optional<std::int64_t> axis = std::nullopt;
  // Along the axis each scale serves so many elements: the scale has the tensor's rank. Only for what holds_blocks().
  std::optional<std::int64_t> block = std::nullopt;
};

// Whether DequantizeLinear has blocks of such integers at the opset.
bool holds_blocks(const Builder& b, const Grid& grid, const Value* integers);

// The scale, and the zero point between `low` and `high`, that the range of x asks for, 0 within it: both of rank 0 and
// float32, the scale at least `least`.
Grid grid_of_range(Builder& b, Value* x, std::int64_t low, std::int64_t high, double least);

// The integers as `dtype`. QuantizeLinear where it has them at the opset, arithmetic where not.
Value* quantize(Builder& b, Value* x, const Grid& grid, DType dtype);
// What integers stand for, as float32. The bounds are not asked.
Value* dequantize(Builder& b, Value* x, const Grid& grid);
// What the integers of x stand for, as float32.
Value* snap(Builder& b, Value* x, const Grid& grid);
// round(x / scale) + zero_point without bounds, as floats.
Value* steps(Builder& b, Value* x, const Grid& grid);

}  // namespace tonnx::lower
