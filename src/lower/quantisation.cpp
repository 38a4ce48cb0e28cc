#include "lower/families.h"
#include "lower/formula.h"
#include "lower/quantise.h"

// Quantisation on plain tensors: fake quantisation, which rounds floats to a grid, and quantized_decomposed, whose
// quantised values are integer tensors.
namespace tonnx::lower {
namespace {

// The scalar of an argument, which is a Python scalar or a tensor with one element.
Value* one_number(const Op& op, std::string_view argument, DType dtype) { return op.scalar(argument, dtype); }

// A constant or computed integer, in a dtype that QuantizeLinear's cast converts exactly.
Value* zero_point(const Op& op, std::string_view argument) { return one_number(op, argument, DType::Int64); }

// A bound of the integers; may be a weight with one element.
std::int64_t bound(const Op& op, std::string_view argument) {
  const ir::Tensor* weight = op.source(argument)->weight();
  return weight && weight->numel() == 1 ? weight->as_int64(0) : op.integer(argument);
}

Grid grid_of_tensor(const Op& op) {
  return {one_number(op, "scale", DType::Float32), zero_point(op, "zero_point"), bound(op, "quant_min"),
          bound(op, "quant_max")};
}

// Scales and zero points along `axis`; without an axis, one for each row of the last axis.
Grid grid_along(const Op& op, std::string_view scale, std::string_view zero, const Value* x) {
  Value* scales = op->cast(op.tensor(scale), DType::Float32);
  Grid grid{scales, op.optional_tensor(zero), op.integer("quant_min"), op.integer("quant_max")};
  if (op.has("axis")) grid.axis = op.axis("axis", x);
  return grid;
}

Outputs in_result_dtype(Op& op, Value* value) { return op->cast(value, op.result_dtype()); }

// Casts to the dtype of the result; first rounds to the dtype of the scales.
Outputs in_result_dtype(Op& op, Value* value, std::string_view scales) {
  const DType dtype = op.dtype_of(op.tensor(scales));
  return in_result_dtype(op, dtype == DType::Float64 ? value : op->cast(value, dtype));
}

// Bool: the integer was within the bounds before it was clamped.
Value* in_bounds(Builder& b, Value* x, const Grid& grid) {
  const Term at{b, steps(b, x, grid)};
  return (at >= static_cast<double>(grid.low) && at <= static_cast<double>(grid.high)).value();
}

// The results of fake quantisation on a grid; the second, if it is used, is the mask.
Outputs fake_quantize(Op& op, Value* x, const Grid& grid) {
  Value* snapped = op->cast(snap(op.builder(), x, grid), op.result_dtype());
  if (op.node().output_count() == 1) return snapped;
  const bool is_read = !op.node().output(1)->is_unused();
  return {snapped, is_read ? in_bounds(op.builder(), x, grid) : nullptr};
}

// fake_quantize_per_tensor_affine(self, scale, zero_point, quant_min, quant_max)
Outputs fake_quantize_per_tensor(Op& op) { return fake_quantize(op, op.tensor("self"), grid_of_tensor(op)); }

// The same, enabled by a tensor.
Outputs fake_quantize_if_enabled(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const Grid grid = grid_of_tensor(op);
  Value* enabled = not_equal(b, one_number(op, "fake_quant_enabled", DType::Int64), b.int64(0));
  Value* snapped = b.where(enabled, b.cast(snap(b, x, grid), op.result_dtype()), x);
  if (op.node().output_count() == 1 || op.node().output(1)->is_unused()) return {snapped, nullptr};
  return {snapped, b.op("Or", {b.op("Not", {enabled}), in_bounds(b, x, grid)})};
}

// fake_quantize_per_channel_affine(self, scale, zero_point, axis, quant_min, quant_max)
Outputs fake_quantize_per_channel(Op& op) {
  Value* x = op.tensor("self");
  return fake_quantize(op, x, grid_along(op, "scale", "zero_point", x));
}

// The learnable operators round the zero point to an integer and clamp it to the bounds.
Grid learnt(Op& op, Grid grid) {
  Builder& b = op.builder();
  const Term rounded{b, round_half_even(b, b.cast(grid.zero_point, DType::Float32))};
  grid.zero_point =
      b.cast(b.clip(rounded.value(), static_cast<double>(grid.low), static_cast<double>(grid.high)), DType::Int64);
  return grid;
}

Outputs fake_quantize_learnable_per_tensor(Op& op) {
  Grid grid = grid_of_tensor(op);
  grid.zero_point = one_number(op, "zero_point", DType::Float32);
  return fake_quantize(op, op.tensor("self"), learnt(op, grid));
}

Outputs fake_quantize_learnable_per_channel(Op& op) {
  Value* x = op.tensor("self");
  return fake_quantize(op, x, learnt(op, grid_along(op, "scale", "zero_point", x)));
}

// quantize_per_tensor(input, scale, zero_point, quant_min, quant_max, dtype)
Outputs quantize_per_tensor(Op& op) {
  return quantize(op.builder(), op.tensor("input"), grid_of_tensor(op), op.dtype("dtype").value());
}

Outputs dequantize_per_tensor(Op& op) {
  Grid grid{one_number(op, "scale", DType::Float32), zero_point(op, "zero_point"), 0, 0};
  return in_result_dtype(op, dequantize(op.builder(), op.tensor("input"), grid));
}

// quantize_per_channel(input, scales, zero_points, axis, quant_min, quant_max, dtype)
Outputs quantize_per_channel(Op& op) {
  Value* x = op.tensor("input");
  return quantize(op.builder(), x, grid_along(op, "scales", "zero_points", x), op.dtype("dtype").value());
}

Outputs dequantize_per_channel(Op& op) {
  Value* x = op.tensor("input");
  return in_result_dtype(op, dequantize(op.builder(), x, grid_along(op, "scales", "zero_points", x)), "scales");
}

Outputs fake_quant_per_channel(Op& op) {
  Value* x = op.tensor("input");
  return fake_quantize(op, x, grid_along(op, "scales", "zero_points", x));
}

// quantize_per_token(input, scales, zero_points, quant_min, quant_max, dtype): one scale for each row
Outputs quantize_per_token(Op& op) {
  Value* x = op.tensor("input");
  Grid grid = grid_along(op, "scales", "zero_points", x);
  // The zero point is added before rounding.
  grid.zero_point = op->cast(grid.zero_point, DType::Float32);
  return quantize(op.builder(), x, grid, op.dtype("dtype").value());
}

Outputs dequantize_per_token(Op& op) {
  Value* x = op.tensor("input");
  return in_result_dtype(op, dequantize(op.builder(), x, grid_along(op, "scales", "zero_points", x)));
}

// A matrix whose rows are divided into groups of columns.
struct Grouped {
  Value* matrix;
  std::int64_t size;    // of a group
  std::int64_t groups;  // of a row
  Grid grid;            // as specified by the arguments
};

Grouped grouped(Op& op) {
  Value* x = op.tensor("input");
  const auto columns = op.fixed_size(x, -1);
  if (op.rank_of(x) != 2 || !columns) op.refuse_argument("input", "must be a matrix with a fixed number of columns");
  const std::int64_t size = std::min(op.integer("group_size"), *columns);
  if (size < 1) op.refuse_argument("group_size", "and the number of columns must be positive");
  return {x, size, *columns / size, grid_along(op, "scales", "zero_points", x)};
}

// Reshapes to one row for each group.
Value* by_group(Builder& b, Grouped& all) {
  all.grid.scale = b.reshape(all.grid.scale, {-1, 1});
  if (all.grid.zero_point) all.grid.zero_point = b.reshape(all.grid.zero_point, {-1, 1});
  return b.reshape(all.matrix, {-1, all.size});
}

Outputs quantize_per_channel_group(Op& op) {
  Builder& b = op.builder();
  Grouped all = grouped(op);
  Value* rows = by_group(b, all);
  // The zero point is added before rounding.
  if (all.grid.zero_point) all.grid.zero_point = b.cast(all.grid.zero_point, DType::Float32);
  return b.reshape(quantize(b, rows, all.grid, op.dtype("dtype").value()), b.shape(all.matrix));
}

Outputs dequantize_per_channel_group(Op& op) {
  Builder& b = op.builder();
  Grouped all = grouped(op);
  Grid blocks = all.grid;
  blocks.axis = 1;
  blocks.block = all.size;
  if (holds_blocks(b, blocks, all.matrix)) {
    blocks.scale = b.reshape(blocks.scale, {-1, all.groups});
    if (blocks.zero_point) blocks.zero_point = b.reshape(blocks.zero_point, {-1, all.groups});
    return in_result_dtype(op, dequantize(b, all.matrix, blocks), "scales");
  }
  Value* rows = by_group(b, all);
  return in_result_dtype(op, b.reshape(dequantize(b, rows, all.grid), b.shape(all.matrix)), "scales");
}

// Scale and zero point in PyTorch's dtypes, with one element each.
Outputs parameters(Op& op, Term scale, Term zero) {
  Builder& b = op.builder();
  return {b.cast(b.reshape(scale.value(), {1}), op.result_dtype(0)),
          b.cast(b.reshape(zero.value(), {1}), op.result_dtype(1))};
}

struct Range {
  Term low;
  Term high;
};

// The smallest and the largest element, of all or of each row, in float32; the range includes 0.
Range range_with_zero(Op& op, bool of_rows) {
  Builder& b = op.builder();
  Value* x = b.cast(op.tensor("input"), DType::Float32);
  const Dims axes = of_rows ? Dims{op.rank_of(x) - 1} : Dims{};
  const Term low{b, b.reduce("ReduceMin", x, axes, of_rows)};
  const Term high{b, b.reduce("ReduceMax", x, axes, of_rows)};
  return {min(low, 0), max(high, 0)};
}

// choose_qparams(input, quant_min, quant_max, eps, dtype)
Outputs choose_qparams(Op& op) {
  const Grid grid = grid_of_range(op.builder(), op.tensor("input"), op.integer("quant_min"), op.integer("quant_max"),
                                  op.number("eps"));
  return parameters(op, Term{op.builder(), grid.scale}, Term{op.builder(), grid.zero_point});
}

Outputs choose_qparams_symmetric(Op& op) {
  const auto low = static_cast<double>(op.integer("quant_min"));
  const auto high = static_cast<double>(op.integer("quant_max"));
  const Range range = range_with_zero(op, false);
  const Term scale = max(max(-range.low, range.high) / ((high - low) / 2), op.number("eps"));
  const bool is_unsigned = op.dtype("dtype") == DType::UInt8;
  return parameters(op, scale, scale.number(is_unsigned ? 128 : 0));
}

// choose_qparams_per_token(input, dtype)
Outputs choose_qparams_per_token(Op& op) {
  if (op.dtype("dtype") != DType::Int8) op.refuse_argument("dtype", "must be int8");
  const Range range = range_with_zero(op, true);
  const Term scale = max(max(-range.low, range.high), 1e-5) / 127;
  return {scale.cast(op.result_dtype(0)).value(), (scale - scale).cast(op.result_dtype(1)).value()};
}

// choose_qparams_per_token_asymmetric(input, dtype): for int8, whatever dtype is requested; each step is rounded to the
// input's dtype
Outputs choose_qparams_per_token_asymmetric(Op& op) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(op.tensor("input"));
  const auto rounded = [&](const Term& t) { return t.cast(dtype).cast(DType::Float32); };
  const Range range = range_with_zero(op, true);
  const Term scale = max(rounded(rounded(range.high - range.low) / 255), 1.1920928955078125e-07);
  const Term low = rounded(range.low / scale), high = rounded(range.high / scale);
  const Term error = rounded(rounded(low - 128) + rounded(high + 127));
  const Term zero = where(error > 0, rounded(-128 - low), rounded(127 - high));
  const Term nearest{b, round_half_even(b, b.clip(zero.value(), -128, 127))};
  return {scale.cast(op.result_dtype(0)).value(), nearest.cast(op.result_dtype(1)).value()};
}

Outputs convert_element_type(Op& op) { return op->cast(op.tensor("input"), op.dtype("dtype").value()); }

constexpr Row kQuantisationRows[] = {
    {"aten::fake_quantize_per_tensor_affine", 7, fake_quantize_per_tensor},
    {"aten::fake_quantize_per_tensor_affine_cachemask", 7, fake_quantize_per_tensor},
    {"aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", 7, fake_quantize_if_enabled},
    {"aten::fake_quantize_per_channel_affine", 7, fake_quantize_per_channel},
    {"aten::fake_quantize_per_channel_affine_cachemask", 7, fake_quantize_per_channel},
    {"aten::_fake_quantize_learnable_per_tensor_affine", 7, fake_quantize_learnable_per_tensor},
    {"aten::_fake_quantize_learnable_per_channel_affine", 7, fake_quantize_learnable_per_channel},
    {"quantized_decomposed::quantize_per_tensor", 7, quantize_per_tensor},
    {"quantized_decomposed::dequantize_per_tensor", 7, dequantize_per_tensor},
    {"quantized_decomposed::quantize_per_channel", 7, quantize_per_channel},
    {"quantized_decomposed::dequantize_per_channel", 7, dequantize_per_channel},
    {"quantized_decomposed::fake_quant_per_channel", 7, fake_quant_per_channel},
    {"quantized_decomposed::quantize_per_token", 7, quantize_per_token},
    {"quantized_decomposed::dequantize_per_token", 7, dequantize_per_token},
    {"quantized_decomposed::quantize_per_channel_group", 7, quantize_per_channel_group},
    {"quantized_decomposed::dequantize_per_channel_group", 7, dequantize_per_channel_group},
    {"quantized_decomposed::choose_qparams", 7, choose_qparams},
    {"quantized_decomposed::choose_qparams_symmetric", 7, choose_qparams_symmetric},
    {"quantized_decomposed::choose_qparams_per_token", 7, choose_qparams_per_token},
    {"quantized_decomposed::choose_qparams_per_token_asymmetric", 7, choose_qparams_per_token_asymmetric},
    {"quantized_decomposed::convert_element_type", 7, convert_element_type},
};

}  // namespace

std::span<const Row> quantisation_rows() { return kQuantisationRows; }

}  // namespace tonnx::lower
