
#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/missing.h"
#include "lower/promotion.h"
#include "lower/reduce.h"
#include "lower/sizes.h"
#include "lower/whole.h"

// Cumulative sums, products and extremes along an axis.
namespace tonnx::lower {
namespace {

// Casts the operand of a sum or product: integers are computed in int64.
Value* summed(Op& op, Value* x) {
  return in_result_dtype(op, x, ir::is_floating(op.dtype_of(x)) ? op.dtype_of(x) : DType::Int64);
}

// Element [.., i, j, ..] is x[.., j, ..] for j <= i, else `nothing`. A reduction over axis + 1 of it is the cumulative
// reduction along the axis.
Value* triangle(Op& op, Value* x, std::int64_t axis, Value* nothing) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  Value* range = b.range(b.size_scalar(x, axis));
  Value* reached = greater_equal(b, b.unsqueeze(range, {1}), b.unsqueeze(range, {0}));
  Dims after;
  for (std::int64_t i = axis + 1; i < rank; ++i) after.push_back(i + 1 - axis);
  return b.where(b.unsqueeze(reached, after), b.unsqueeze(x, {axis}), nothing);
}

Value* running(Op& op, std::string_view reduction, Value* x, std::int64_t axis, double nothing) {
  return op->reduce(reduction, triangle(op, x, axis, op->scalar_like(x, nothing)), Dims{axis + 1}, false);
}

Outputs cumsum(Op& op) {
  Value* x = summed(op, op.tensor("self"));
  const std::int64_t axis = op.axis("dim", x);
  if (op.rank_of(x) == 0) return x;
  // LibTorch accumulates float32 in float64, so that long sums stay exact. Converted integers do not need this.
  const bool is_wide = op.dtype_of(x) == DType::Float32 && op.dtype_of(op.tensor("self")) == DType::Float32;
  if (op.opset() >= 11) {
    Value* y = op->op("CumSum", {is_wide ? op->cast(x, DType::Float64) : x, op->int64(axis)});
    return op->cast(y, op.dtype_of(x));
  }
  if (op.dtype_of(x) == DType::Int64)
    return whole_sum(op.builder(), triangle(op, x, axis, op->int64(0)), Dims{axis + 1}, false);
  return running(op, "ReduceSum", x, axis, 0);
}

Outputs cumprod(Op& op) {
  Value* x = summed(op, op.tensor("self"));
  const std::int64_t axis = op.axis("dim", x);
  if (op.rank_of(x) == 0) return x;
  if (op.dtype_of(x) == DType::Int64) return running_whole_product(op, x, axis);
  return running(op, "ReduceProd", x, axis, 1);
}

Outputs logcumsumexp(Op& op) {
  Value* x = summed(op, op.tensor("self"));
  const std::int64_t axis = op.axis("dim", x);
  if (op.rank_of(x) == 0) return x;
  Value* terms = triangle(op, x, axis, op->scalar_like(x, -kInfinity));
  return log_sum_exp(op, terms, {{axis + 1}, false, false});
}

// aten::cummax, aten::cummin: values, and the last indices at which they were reached
Outputs running_extreme(Op& op, bool largest) {
  Builder& b = op.builder();
  Value* given = op.tensor("self");
  const std::int64_t axis = op.axis("dim", given);
  const DType dtype = op.dtype_of(given);
  if (op.rank_of(given) == 0) return {given, b.int64(0)};
  // Integers are computed in int64, whose limits are neutral.
  Value* x = ir::is_floating(dtype) ? given : b.cast(given, DType::Int64);
  Value* nothing = ir::is_floating(dtype) ? b.scalar(dtype, largest ? -kInfinity : kInfinity)
                                          : b.scalar(DType::Int64, largest ? INT64_MIN : INT64_MAX);
  Value* terms = triangle(op, x, axis, nothing);
  const char* reduction = largest ? "ReduceMax" : "ReduceMin";
  Value* values = reduce_extreme(op, reduction, terms, {{axis + 1}, false, false});
  Value* indices = nullptr;
  if (!op.node().output(1)->is_unused()) {
    Value* range = b.range(b.size_scalar(x, axis));
    Value* reached = greater_equal(b, b.unsqueeze(range, {1}), b.unsqueeze(range, {0}));
    Dims after;
    for (std::int64_t i = axis + 1; i < op.rank_of(x); ++i) after.push_back(i + 1 - axis);
    Value* same = equal(b, terms, b.unsqueeze(values, {axis + 1}));
    if (may_hold_nan(b, terms)) same = b.op("Or", {same, is_nan(b, terms)});
    Value* meets = b.op("And", {same, b.unsqueeze(reached, after)});
    Dims position_axes(after);
    for (std::int64_t& i : position_axes) --i;
    Value* position = b.unsqueeze(range, position_axes);
    indices = b.reduce("ReduceMax", b.where(meets, position, b.int64(-1)), Dims{axis + 1}, false);
  }
  return {b.cast(values, dtype), indices};
}

Outputs cummax(Op& op) { return running_extreme(op, true); }
Outputs cummin(Op& op) { return running_extreme(op, false); }

Outputs diff(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x), times = op.integer("n");
  // aten::diff of order 0 ignores prepend and append.
  if (times == 0) return x;
  Values parts;
  if (Value* before = op.optional_tensor("prepend")) parts.push_back(op->cast(before, op.dtype_of(x)));
  parts.push_back(x);
  if (Value* after = op.optional_tensor("append")) parts.push_back(op->cast(after, op.dtype_of(x)));
  Value* y = op->concat(parts, axis);
  const bool is_bool = op.dtype_of(x) == DType::Bool;
  for (std::int64_t i = times; i > 0; --i) {
    Value* later = op->slice(y, axis, 1, INT64_MAX);
    Value* earlier = op->slice(y, axis, 0, -1);
    y = is_bool ? op->op("Xor", {later, earlier}) : op->sub(later, earlier);
  }
  return y;
}

constexpr Row kCumulativeRows[] = {
    {"aten::cumsum", 7, rounded<cumsum>},
    {"aten::cumprod", 7, rounded<cumprod>},
    {"aten::logcumsumexp", 7, rounded<logcumsumexp>},
    {"aten::cummax", 7, cummax},
    {"aten::cummin", 7, cummin},
    {"aten::diff", 7, diff},
};

}  // namespace

std::span<const Row> cumulative_rows() { return kCumulativeRows; }

}  // namespace tonnx::lower
