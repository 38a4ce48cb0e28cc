#include "lower/quantise.h"

#include <algorithm>

#include "lower/formula.h"
#include "lower/known.h"

namespace tonnx::lower {
namespace {

// Reshapes the scale or zero point to broadcast along the axis of the tensor.
Value* placed(Builder& b, Value* v, const Value* x, const Grid& grid) {
  if (!grid.axis) return v;
  Dims sizes(static_cast<std::size_t>(x->facts().rank()), 1);
  sizes.at(static_cast<std::size_t>(*grid.axis)) = -1;
  return b.reshape(v, sizes);
}

bool holds(DType dtype, std::int64_t low, std::int64_t high) {
  switch (dtype) {
    case DType::UInt8: return low >= 0 && high <= 255;
    case DType::Int8: return low >= -128 && high <= 127;
    case DType::UInt16: return low >= 0 && high <= 65535;
    case DType::Int16: return low >= -32768 && high <= 32767;
    default: return false;
  }
}

// The constant integer tensor that v is computed from by casts and reshapes; else null.
const ir::Tensor* content(const Value* v) {
  while (v->node() && (v->node()->is("onnx::Cast") || v->node()->is("onnx::Reshape"))) v = v->node()->input(0);
  return v->weight() ? v->weight() : known_tensor(v);
}

// True if the integer dtype can represent the zero point. A computed zero point is within the grid's bounds.
bool holds_zero_point(const Value* zero, DType dtype) {
  const ir::Tensor* known = content(zero);
  return !known || std::ranges::all_of(known->to_int64s(), [&](std::int64_t z) { return holds(dtype, z, z); });
}

// True if QuantizeLinear and DequantizeLinear support these integers on this grid.
bool is_native(const Builder& b, const Grid& grid, DType dtype) {
  const bool is_byte = dtype == DType::UInt8 || dtype == DType::Int8;
  const bool is_short = dtype == DType::UInt16 || dtype == DType::Int16;
  if (!is_byte && !(is_short && b.opset() >= 21)) return false;
  if (grid.zero_point && (ir::is_floating(grid.zero_point->facts().dtype) || !holds_zero_point(grid.zero_point, dtype)))
    return false;
  if (grid.block) return b.opset() >= 21;
  if (grid.axis) return b.opset() >= 13;
  return b.opset() >= 10 && !b.avoids(ir::Defect::QuantiseRounding) && grid.scale->facts().has_rank() &&
         grid.scale->facts().rank() == 0;
}

Attributes along(const Grid& grid) {
  Attributes all;
  if (grid.axis) all.push_back({"axis", *grid.axis});
  if (grid.block) all.push_back({"block_size", *grid.block});
  return all;
}

// True if LibTorch subtracts the zero point in the integers' own dtype and the difference may wrap.
bool may_wrap(const Grid& grid, DType integers) {
  if (!grid.zero_point || grid.zero_point->facts().dtype != integers) return false;
  const ir::Tensor* known = content(grid.zero_point);
  return !known || std::ranges::any_of(known->to_int64s(), [](std::int64_t z) { return z != 0; });
}

Values operands(Builder& b, Value* x, const Grid& grid, DType dtype) {
  Value* zero = grid.zero_point ? b.cast(grid.zero_point, dtype) : nullptr;
  if (!zero && grid.block) return {x, grid.scale};
  if (!zero && !grid.axis) zero = b.scalar(dtype, std::int64_t{0});
  if (!zero) zero = b.constant_of_shape(b.shape(grid.scale), dtype, 0);
  return {x, grid.scale, zero};
}

// The bound as a float of this dtype; clamped values fit the integers.
double bound(std::int64_t at, DType dtype) {
  if (dtype == DType::Float64) return static_cast<double>(at);
  const auto near = static_cast<double>(static_cast<float>(at));
  return near > static_cast<double>(at) ? static_cast<double>(static_cast<float>(at - (at >> 24))) : near;
}

Value* bounded(Builder& b, Value* x, const Grid& grid) {
  const DType dtype = x->facts().dtype;
  return b.clip(x, bound(grid.low, dtype), bound(grid.high, dtype));
}

Value* as_float(Builder& b, Value* v) { return b.cast(v, DType::Float32); }

}  // namespace

bool holds_blocks(const Builder& b, const Grid& grid, const Value* integers) {
  const DType dtype = integers->facts().dtype;
  return grid.block && is_native(b, grid, dtype) && !may_wrap(grid, dtype);
}

Grid grid_of_range(Builder& b, Value* x, std::int64_t low, std::int64_t high, double least) {
  const DType dtype = x->facts().dtype;
  Value* floats = as_float(b, x);
  const auto rounded = [&](const Term& t) { return t.cast(dtype).cast(DType::Float32); };
  const Term bottom = min(Term{b, b.reduce("ReduceMin", floats, Dims{}, false)}, 0);
  const Term top = max(Term{b, b.reduce("ReduceMax", floats, Dims{}, false)}, 0);
  const Term scale = max(rounded(rounded(top - bottom) / static_cast<double>(high - low)), least);
  const Term nearest{b, round_half_even(b, (bottom / scale).value())};
  const Term zero = min(max(static_cast<double>(low) - nearest, static_cast<double>(low)), static_cast<double>(high));
  return {scale.value(), zero.value(), low, high};
}

Value* steps(Builder& b, Value* x, const Grid& grid) {
  const Term quotient = Term{b, as_float(b, x)} / Term{b, placed(b, grid.scale, x, grid)};
  if (!grid.zero_point) return round_half_even(b, quotient.value());
  const Term zero{b, as_float(b, placed(b, grid.zero_point, x, grid))};
  // A fractional zero point is added before rounding.
  if (ir::is_floating(grid.zero_point->facts().dtype)) return round_half_even(b, (quotient + zero).value());
  return (Term{b, round_half_even(b, quotient.value())} + zero).value();
}

Value* quantize(Builder& b, Value* x, const Grid& grid, DType dtype) {
  if (!is_native(b, grid, dtype)) return b.cast(bounded(b, steps(b, x, grid), grid), dtype);
  Value* whole = b.op("QuantizeLinear", operands(b, as_float(b, x), grid, dtype), along(grid));
  const bool is_all = !holds(dtype, grid.low - 1, grid.high) && !holds(dtype, grid.low, grid.high + 1);
  return is_all ? whole : b.clip(whole, static_cast<double>(grid.low), static_cast<double>(grid.high));
}

Value* dequantize(Builder& b, Value* x, const Grid& grid) {
  const DType dtype = x->facts().dtype;
  const bool wraps = may_wrap(grid, dtype);
  if (!wraps && is_native(b, grid, dtype)) return b.op("DequantizeLinear", operands(b, x, grid, dtype), along(grid));
  const Term scale{b, placed(b, grid.scale, x, grid)};
  if (!grid.zero_point) return (Term{b, as_float(b, x)} * scale).value();
  Value* zero = placed(b, grid.zero_point, x, grid);
  // 32-bit integers lose digits as floats; their distances rarely do.
  const DType wide = ir::is_floating(zero->facts().dtype) ? DType::Float32 : wraps ? dtype : DType::Int64;
  const Term distance = Term{b, b.cast(x, wide)} - Term{b, b.cast(zero, wide)};
  return (distance.cast(DType::Float32) * scale).value();
}

Value* snap(Builder& b, Value* x, const Grid& grid) {
  for (const DType dtype : {DType::UInt8, DType::Int8, DType::UInt16, DType::Int16})
    if (holds(dtype, grid.low, grid.high) && is_native(b, grid, dtype))
      return dequantize(b, quantize(b, x, grid, dtype), grid);
  const Term whole{b, bounded(b, steps(b, x, grid), grid)};
  const Term scale{b, placed(b, grid.scale, x, grid)};
  if (!grid.zero_point) return (whole * scale).value();
  return ((whole - Term{b, as_float(b, placed(b, grid.zero_point, x, grid))}) * scale).value();
}

}  // namespace tonnx::lower
