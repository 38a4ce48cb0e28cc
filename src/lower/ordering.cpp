#include <array>
#include <numeric>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/formula.h"
#include "lower/known.h"
#include "lower/loop.h"
#include "lower/missing.h"
#include "lower/promotion.h"
#include "lower/sizes.h"

// Operators based on the order of elements: topk, sort, kthvalue, median, searchsorted, unique.
namespace tonnx::lower {
namespace {

struct Ordered {
  Value* values;
  Value* indices;
};

// The first `count` (rank 0) floats in sorted order by the TopK of opsets below 11, which supports the largest elements
// only. Stable.
Ordered first_of_floats(Op& op, Value* x, std::int64_t axis, Value* count, bool largest) {
  Builder& b = op.builder();
  if (known_integers(count) == Dims{0}) {
    Value* none = b.slice(x, axis, 0, 0);
    return {none, b.cast(none, DType::Int64)};
  }
  if (!largest) x = b.op("Neg", {x});
  Values y;
  if (op.opset() >= 10) {
    y = b.op("TopK", {x, b.reshape(count, {1})}, {{"axis", axis}}, 2);
  } else {
    const auto known = known_integers(count);
    if (!known) op.needs_opset(10, "sorting a number of elements known at run time only");
    y = b.op("TopK", {x}, {{"axis", axis}, {"k", known->front()}}, 2);
  }
  return {largest ? y[0] : b.op("Neg", {y[0]}), y[1]};
}

// The rank of each element in the sorted order along the axis, in float64.
Value* places_in_order(Op& op, Value* x, std::int64_t axis, bool largest) {
  Builder& b = op.builder();
  Value* const each = b.unsqueeze(x, {axis + 1});
  Value* const other = b.unsqueeze(x, {axis});
  Value* numbers = b.range(b.size_scalar(x, axis));
  Dims after(static_cast<std::size_t>(op.rank_of(x) - axis - 1));
  std::iota(after.begin(), after.end(), 2);
  Value* earlier = b.unsqueeze(less(b, b.unsqueeze(numbers, {0}), b.unsqueeze(numbers, {1})), after);
  Value* ahead = largest ? greater(b, other, each) : less(b, other, each);
  Value* before = b.op("Or", {ahead, b.op("And", {equal(b, other, each), earlier})});
  return b.reduce("ReduceSum", b.cast(before, DType::Float64), Dims{axis + 1}, false);
}

// The same for int64. float64 cannot represent all int64 values, but their halves. Sorts by the lower halves, then
// stably by the upper ones. Below opset 10, which cannot sort a dynamic number of elements, compares each element with
// each.
Ordered first_of_longs(Op& op, Value* x, std::int64_t axis, Value* count, bool largest) {
  Builder& b = op.builder();
  const auto ordered = [&](Value* indices) { return Ordered{b.gather_elements(x, indices, axis), indices}; };
  Value* size = b.size_scalar(x, axis);
  if (op.opset() < 10 && !known_integers(size))
    return ordered(first_of_floats(op, places_in_order(op, x, axis, largest), axis, count, false).indices);
  Value* part = b.int64(std::int64_t{1} << 32);
  Value* upper = b.div(x, part);
  Value* lower = b.sub(x, b.mul(upper, part));
  Value* first = first_of_floats(op, b.cast(lower, DType::Float64), axis, size, largest).indices;
  Value* then = b.gather_elements(b.cast(upper, DType::Float64), first, axis);
  return ordered(b.gather_elements(first, first_of_floats(op, then, axis, count, largest).indices, axis));
}

// The first `count` (rank 0) elements in sorted order, for x without NaN. Stable.
Ordered first_of_numbers(Op& op, Value* x, std::int64_t axis, Value* count, bool largest, bool sorted) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(x);
  if (dtype == DType::Bool) x = b.cast(x, DType::Int32);
  if (op.opset() >= 11) {
    const Values y = b.op("TopK", {x, b.reshape(count, {1})},
                          {{"axis", axis}, {"largest", std::int64_t{largest}}, {"sorted", std::int64_t{sorted}}}, 2);
    return {b.cast(y[0], dtype), y[1]};
  }
  if (dtype == DType::Int64) return first_of_longs(op, x, axis, count, largest);
  if (!ir::is_floating(dtype)) x = b.cast(x, ir::size_of(dtype) < 4 ? DType::Float32 : DType::Float64);
  const Ordered y = first_of_floats(op, x, axis, count, largest);
  return {b.cast(y.values, dtype), y.indices};
}

// The same for any x: NaN is above infinity.
Ordered first_in_order(Op& op, Value* x, std::int64_t axis, Value* count, bool largest, bool sorted = true) {
  Value* key = ordering_key(op.builder(), x);
  const Ordered y = first_of_numbers(op, key, axis, count, largest, sorted);
  return key == x ? y : Ordered{op->gather_elements(x, y.indices, axis), y.indices};
}

Ordered finished(Op& op, bool scalar, Ordered y) {
  if (scalar) return {op->reshape(y.values, Dims{}), op->reshape(y.indices, Dims{})};
  return y;
}

Outputs topk(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  const Ordered y = first_in_order(op, at_least_vector(op, x), axis, op.scalar("k", DType::Int64), op.flag("largest"),
                                   op.flag("sorted"));
  const Ordered shaped = finished(op, op.rank_of(x) == 0, y);
  return {shaped.values, shaped.indices};
}

Ordered sorted(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  Value* whole = at_least_vector(op, x);
  return finished(op, op.rank_of(x) == 0,
                  first_in_order(op, whole, axis, op->size_scalar(whole, axis), op.flag("descending")));
}

Outputs sort(Op& op) {
  const Ordered y = sorted(op);
  return {y.values, y.indices};
}
Outputs msort(Op& op) {
  Value* x = op.tensor("self");
  if (op.rank_of(x) == 0) return x;
  return first_in_order(op, x, 0, op->size_scalar(x, 0), false).values;
}
Outputs argsort(Op& op) { return sorted(op).indices; }

// Element `k` (rank 0, from zero) of the ascending order along an axis.
Ordered in_place_k(Op& op, Value* x, std::int64_t axis, Value* k, bool keep) {
  Builder& b = op.builder();
  Value* whole = at_least_vector(op, x);
  const Ordered first = first_in_order(op, whole, axis, add_sizes(b, k, b.int64(1)), false);
  const auto last = [&](Value* v) {
    if (op.rank_of(x) == 0) return b.reshape(v, Dims{});
    Value* y = b.slice(v, axis, -1, INT64_MAX);
    return keep ? y : b.squeeze(y, {axis});
  };
  return {last(first.values), last(first.indices)};
}

// Element `k` of the ascending order, or the first NaN if there is one.
Ordered in_place_k_or_nan(Op& op, Value* x, std::int64_t axis, Value* k, bool keep) {
  if (!may_hold_nan(op.builder(), x) || op.rank_of(x) == 0) return in_place_k(op, x, axis, k, keep);
  Builder& b = op.builder();
  Value* size = b.size_scalar(x, axis);
  const Ordered all = first_in_order(op, x, axis, size, false);
  Value* numbers = b.reduce("ReduceSum", b.cast(b.op("Not", {is_nan(b, x)}), DType::Int64), Dims{axis}, true);
  Value* place = b.where(less(b, numbers, size), numbers, k);
  const auto pick = [&](Value* v) {
    Value* y = b.gather_elements(v, place, axis);
    return keep ? y : b.squeeze(y, {axis});
  };
  return {pick(all.values), pick(all.indices)};
}

Outputs kthvalue(Op& op) {
  Value* x = op.tensor("self");
  Value* k = subtract_sizes(op.builder(), op.scalar("k", DType::Int64), op->int64(1));
  const Ordered y = in_place_k(op, x, op.axis("dim", x), k, op.flag("keepdim"));
  return {y.values, y.indices};
}

Value* middle(Op& op, Value* size) {
  if (const auto n = known_integers(size)) return op->int64((n->front() - 1) / 2);
  return op->div(op->sub(size, op->int64(1)), op->int64(2));
}

// aten::median: the lower of the two middle elements
Outputs median(Op& op) {
  Value* x = nan_where_empty(op, op->flatten_to_vector(op.tensor("self")));
  return in_place_k_or_nan(op, x, 0, middle(op, op->size_scalar(x, 0)), false).values;
}

Outputs median_along(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  Value* whole = at_least_vector(op, x);
  const Ordered y = in_place_k_or_nan(op, x, axis, middle(op, op->size_scalar(whole, axis)), op.flag("keepdim"));
  return {y.values, y.indices};
}

// True if the elements are constant, ascending along the last axis and free of NaN.
bool surely_in_order(const Value* bounds) {
  const ir::Tensor* known = known_tensor(bounds);
  if (!known || known->dims.empty()) return false;
  const std::int64_t count = known->dims.back();
  const auto in_order = [&](const auto& numbers) {
    for (std::int64_t i = 0; i < std::ssize(numbers); ++i) {
      const bool first = i % count == 0;
      if (!(numbers[i] >= numbers[first ? i : i - 1])) return false;
    }
    return true;
  };
  return ir::is_floating(known->dtype) ? in_order(known->to_doubles()) : in_order(known->to_int64s());
}

// The number of bounds, ascending along the last axis, that are below each value; all of them for NaN.
Value* count_before(Builder& b, Value* bounds, Value* values, std::int64_t rank, std::int64_t values_rank, bool right) {
  Value* candidates = b.unsqueeze(values, {values_rank});
  if (rank > 1) bounds = b.unsqueeze(bounds, {rank - 1});
  Value* before = right ? less_equal(b, bounds, candidates) : less(b, bounds, candidates);
  if (ir::is_floating(values->facts().dtype)) before = b.op("Or", {before, is_nan(b, candidates)});
  return b.reduce("ReduceSum", b.cast(before, DType::Int64), Dims{values_rank}, false);
}

// The range of possible insertion points of each value: before one of `size` bounds from `start` on, or after them.
struct Stretch {
  Value* start;
  Value* size;
};

// One bisection step, as in LibTorch.
Stretch halve(Builder& b, Value* bounds, std::int64_t rank, Value* last, Value* values, bool right, Stretch s,
              bool may_be_empty) {
  const Term start{b, s.start}, size{b, s.size};
  const Term half = size / 2.0;
  const Term middle = start + half;
  Value* place = may_be_empty ? min(middle, middle.with(last)).value() : middle.value();
  Value* bound = rank == 1 ? b.take(bounds, place, 0) : b.gather_elements(bounds, place, rank - 1);
  Term after_middle = !Term{b, right ? greater(b, bound, values) : greater_equal(b, bound, values)};
  if (may_be_empty) after_middle = after_middle && size > 0.0;
  return {where(after_middle, middle + 1.0, start).value(), where(after_middle, size - half - 1.0, half).value()};
}

// LibTorch's bisection. Its result equals LibTorch's even if the bounds do not ascend or contain NaN.
Value* search(Op& op, Value* bounds, Value* values, bool right) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(bounds);
  const auto fixed = op.fixed_size(bounds, rank - 1);
  Value* count = fixed ? b.int64(*fixed) : b.size_scalar(bounds, rank - 1);
  Value* last = subtract_sizes(b, count, b.int64(1));
  Value* zeros = b.constant_of_shape(b.shape(values), DType::Int64, 0);
  const Stretch whole{zeros, b.add(zeros, count)};
  if (fixed) {
    Stretch s = rank == 1 ? Stretch{b.int64(0), count} : whole;
    for (std::int64_t most = *fixed, least = *fixed; most > 0; most /= 2) {
      s = halve(b, bounds, rank, last, values, right, s, least == 0);
      least = least > 0 ? (least - 1) / 2 : 0;
    }
    return s.start;
  }
  return loop(b, nullptr, greater(b, count, b.int64(0)), {whole.start, whole.size, count},
              [&](Value*, const Values& state) {
                const Stretch s = halve(b, bounds, rank, last, values, right, {state[0], state[1]}, true);
                Value* most = b.div(state[2], b.int64(2));
                return Pass{greater(b, most, b.int64(0)), {s.start, s.size, most}};
              })[0];
}

// The insertion point of each value among the bounds (along the last axis).
Value* places(Op& op, Value* bounds, Value* values, bool right) {
  Builder& b = op.builder();
  const DType dtype = ir::promote(op.dtype_of(bounds), op.dtype_of(values));
  const bool in_order = surely_in_order(bounds) || op.fixed_size(bounds, op.rank_of(bounds) - 1) == 0;
  bounds = b.cast(bounds, dtype);
  values = b.cast(values, dtype);
  return in_order ? count_before(b, bounds, values, op.rank_of(bounds), op.rank_of(values), right)
                  : search(op, bounds, values, right);
}

// The values to search for: tensors unchanged; a scalar in the dtype it has together with the bounds (float32 for 2.5
// and integers).
Value* number_or_tensor(Op& op, std::string_view argument, std::string_view bounds) {
  const ir::Value* source = op.source(argument);
  if (!source->type().is_scalar()) return op.tensor(argument);
  return op.scalar_of(source, promoted_dtype(std::array{op.source(bounds), source}));
}

Outputs bucketize(Op& op) {
  Value* bounds = op.tensor("boundaries");
  Value* y = places(op, bounds, number_or_tensor(op, "self", "boundaries"), op.flag("right"));
  return op.flag("out_int32") ? op->cast(y, DType::Int32) : y;
}

Outputs searchsorted(Op& op) {
  Value* bounds = op.tensor("sorted_sequence");
  if (op.has("sorter") && !op.is_none("sorter")) {
    if (op.opset() < 11) op.needs_opset(11, "searchsorted with a sorter");
    bounds = op->gather_elements(bounds, op.tensor("sorter"), op.rank_of(bounds) - 1);
  }
  const bool right = op.flag("right") || (op.has("side") && !op.is_none("side") && op.text("side") == "right");
  Value* y = places(op, bounds, number_or_tensor(op, "self", "sorted_sequence"), right);
  return op.flag("out_int32") ? op->cast(y, DType::Int32) : y;
}

// A float64 key for each element, flattened, that sorts as the elements do. NaN differs from every other NaN, so each
// gets its own key above all numbers.
Value* distinct_key(Op& op, Value* x) {
  Builder& b = op.builder();
  const Term wide = Term{b, b.flatten_to_vector(x)}.cast(DType::Float64);
  const Term place = wide.with(b.range(b.size_scalar(wide.value(), 0))).cast(DType::Float64);
  return where(wide.with(is_nan(b, wide.value())), place * 1e300 + 1.7e308, min(wide, 1.6e308)).value();
}

// ONNX's Unique with sorted order: LibTorch does not define the unsorted one. Without an axis, results that are not
// requested are empty; along an axis LibTorch returns all results.
Outputs unique_of(Op& op, std::optional<std::int64_t> axis) {
  Value* x = op.tensor("self");
  Attributes attributes{{"sorted", std::int64_t{1}}};
  if (axis) attributes.push_back({"axis", *axis});
  const DType dtype = op.dtype_of(x);
  Value* compared = dtype == DType::Bool ? op->cast(x, DType::Int64) : x;
  const bool by_key = may_hold_nan(op.builder(), x);
  if (by_key) compared = distinct_key(op, x);
  if (by_key && axis) compared = reshape_known(op, compared, x->facts().dims, [&] { return op->shape(x); });
  const Values y = op->op("Unique", {compared}, std::move(attributes), 4);
  Value* values = by_key ? op->take(axis ? x : op->flatten_to_vector(x), y[1], axis.value_or(0)) : y[0];
  Values results{op->cast(values, dtype), y[2], y[3]};
  if (!axis) {
    const auto empty = [&] { return op->int64s({}); };
    results[1] =
        op.flag("return_inverse") ? reshape_known(op, y[2], x->facts().dims, [&] { return op->shape(x); }) : empty();
    if (!op.has("return_counts"))
      results.pop_back();
    else if (!op.flag("return_counts"))
      results[2] = empty();
  }
  return Outputs::many(results);
}

Outputs unique(Op& op) { return unique_of(op, std::nullopt); }

Outputs unique_dim(Op& op) { return unique_of(op, op.axis("dim", op.tensor("self"))); }

constexpr Row kOrderingRows[] = {
    {"aten::topk", 7, topk},
    {"aten::sort", 7, sort},
    {"aten::msort", 7, msort},
    {"aten::argsort", 7, argsort},
    {"aten::kthvalue", 7, kthvalue},
    {"aten::median", 7, median},
    {"aten::median.dim", 7, median_along},
    {"aten::bucketize", 7, bucketize},
    {"aten::searchsorted", 7, searchsorted},
    {"aten::_unique", 11, unique},
    {"aten::_unique2", 11, unique},
    {"aten::unique_dim", 11, unique_dim},
};

}  // namespace

std::span<const Row> ordering_rows() { return kOrderingRows; }

}  // namespace tonnx::lower
