#include <algorithm>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/formula.h"
#include "lower/indices.h"
#include "lower/known.h"
#include "lower/missing.h"
#include "lower/sizes.h"
#include "lower/whole.h"

// Writes elements at indices, replacing or combining: scatter, index_put, index_add, put.
namespace tonnx::lower {
namespace {

enum class Combine { Replace, Sum, Product, Max, Min };

const char* reduction_name(Combine how) {
  static constexpr const char* kNames[] = {"none", "add", "mul", "max", "min"};
  return kNames[static_cast<int>(how)];
}

std::int32_t reduction_opset(Combine how) { return how == Combine::Sum || how == Combine::Product ? 16 : 18; }

// The neutral element of a combination.
Value* neutral(Op& op, Combine how, DType dtype) {
  if (how == Combine::Sum) return op->scalar(dtype, std::int64_t{0});
  if (how == Combine::Product) return op->scalar(dtype, std::int64_t{1});
  if (dtype == DType::UInt64) op.refuse("the extremes of uint64 have no ONNX form");
  return how == Combine::Max ? lowest(op.builder(), dtype) : highest(op.builder(), dtype);
}

// The dtype in which elements are combined: bools as integers, and half precision in float32 without a reducing
// scatter (below opset 16), or if the target has Defect::ScatterHalves.
DType combining_dtype(const Builder& b, DType dtype) {
  const bool is_half = dtype == DType::Float16 || dtype == DType::BFloat16;
  if (is_half && (b.opset() < 16 || b.avoids(ir::Defect::ScatterHalves))) return DType::Float32;
  if (dtype == DType::Bool) return DType::Int32;
  return dtype;
}

// The leading part of src that has the shape of index.
Value* trimmed(Op& op, Value* src, Value* index) {
  if (same_sizes(src, index)) return src;
  const std::int64_t rank = op.rank_of(index);
  if (op.rank_of(src) != rank) op.refuse("the source of a scatter must have the rank of its index");
  for (std::int64_t i = 0; i < rank; ++i) {
    const auto have = op.fixed_size(src, i), want = op.fixed_size(index, i);
    if (have && have == want) continue;
    src = slice_between(op, src, i, nullptr, op->size_scalar(index, i));
  }
  return src;
}

Value* write_elements(Op& op, Value* x, Value* index, Value* src, std::int64_t axis) {
  return op->op(op.opset() >= 11 ? "ScatterElements" : "Scatter", {x, index, src}, {{"axis", axis}});
}

// Appends a slice of `filling` to x so that the axis has this size (rank 1).
Value* filled_up(Op& op, Value* x, std::int64_t axis, Value* size, Value* filling) {
  Builder& b = op.builder();
  Value* more = b.sub(size, b.size(x, axis));
  Value* shape = b.join_sizes({sizes_between(op, x, 0, axis), more, sizes_between(op, x, axis + 1, op.rank_of(x))});
  return b.concat({x, b.expand(filling, shape)}, axis);
}

// Combines by comparing every index with every position, for opsets without a reducing scatter.
Value* combine_by_comparison(Op& op, Value* x, Value* index, Value* src, std::int64_t axis, Combine how) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(x);
  const std::int64_t rank = op.rank_of(x);
  Value* nothing = neutral(op, how, dtype);
  Dims after;
  for (std::int64_t i = 1; i < rank - axis + 1; ++i) after.push_back(i);
  Value* positions = b.range(b.size_scalar(x, axis));
  // The Gather fails at an index out of range, which would meet no position.
  Value* place = b.take(positions, b.cast(index, DType::Int64), 0);
  Value* meets = equal(b, b.unsqueeze(place, {axis}), b.unsqueeze(positions, after));
  Value* candidates = b.where(meets, b.unsqueeze(src, {axis}), nothing);
  static constexpr std::string_view kReductions[] = {"", "ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin"};
  const std::string_view reduction = kReductions[static_cast<int>(how)];
  const bool is_extreme = how == Combine::Max || how == Combine::Min;
  // the extreme of no elements is handled separately there
  if (is_extreme && op.fixed_size(index, axis).value_or(0) == 0) {
    Dims one(static_cast<std::size_t>(2 * (rank + 1)), 0);
    one[static_cast<std::size_t>(rank + 1 + axis + 1)] = 1;
    candidates = b.pad(candidates, one, "constant", nothing);
  }
  Value* combined = is_extreme              ? reduce_extreme(op, reduction, candidates, {{axis + 1}, false, false})
                    : dtype != DType::Int64 ? b.reduce(reduction, candidates, Dims{axis + 1}, false)
                    : how == Combine::Sum   ? whole_sum(b, candidates, Dims{axis + 1}, false)
                                            : whole_product(op, candidates, Dims{axis + 1}, false);
  Dims pads(static_cast<std::size_t>(2 * rank), 0);
  for (std::int64_t i = 0; i < rank; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i == axis || (*x->facts().dims)[at].same((*index->facts().dims)[at])) continue;
    const auto have = op.fixed_size(index, i), want = op.fixed_size(x, i);
    if (have && want) {
      pads[static_cast<std::size_t>(i + rank)] = *want - *have;
    } else {
      combined = filled_up(op, combined, i, b.size(x, i), nothing);
    }
  }
  combined = b.pad(combined, pads, "constant", nothing);
  switch (how) {
    case Combine::Sum: return b.add(x, combined);
    case Combine::Product: return b.mul(x, combined);
    case Combine::Max: return maximum(b, x, combined);
    default: return minimum(b, x, combined);
  }
}

// x with src written at index along axis; all have the same rank, at least one.
Value* scatter_elements(Op& op, Value* x, Value* index, Value* src, std::int64_t axis, Combine how) {
  if (is_known_empty(index)) return x;
  const DType dtype = op.dtype_of(x);
  src = trimmed(op, op->cast(src, dtype), index);
  if (how == Combine::Replace) return write_elements(op, x, index, src, axis);
  const DType wide = combining_dtype(op.builder(), dtype);
  x = op->cast(x, wide);
  src = op->cast(src, wide);
  if (op.opset() < reduction_opset(how)) return op->cast(combine_by_comparison(op, x, index, src, axis, how), dtype);
  const Attributes attributes{{"axis", axis}, {"reduction", std::string(reduction_name(how))}};
  Value* y = op->op("ScatterElements", {x, index, src}, attributes);
  if ((how == Combine::Max || how == Combine::Min) &&
      (may_hold_nan(op.builder(), src) || may_hold_nan(op.builder(), x))) {
    const auto missing = [&](Value* v) { return op->cast(is_nan(op.builder(), v), DType::Float32); };
    const Attributes largest{{"axis", axis}, {"reduction", std::string("max")}};
    Value* any = op->cast(op->op("ScatterElements", {missing(x), index, missing(src)}, largest), DType::Bool);
    y = op->where(any, op->scalar_like(y, kNan), y);
  }
  return op->cast(y, dtype);
}

// The arguments of a scatter along an axis, none of rank 0.
struct Scatter {
  Value* x;
  Value* index;
  std::int64_t axis;
  bool scalar;  // the input has rank 0
};

Scatter scatter_of(Op& op, Value* (*shaped)(Op&, Value*) = at_least_vector) {
  Value* x = op.tensor("self");
  Value* index = op->element_index(op->cast(op.tensor("index"), DType::Int64));
  return {at_least_vector(op, x), shaped(op, index), op.axis("dim", x), op.rank_of(x) == 0};
}

Value* finished(Op& op, const Scatter& s, Value* y) { return s.scalar ? op->reshape(y, Dims{}) : y; }

// v expanded to the shape of `like`.
Value* expand_like(Op& op, Value* v, Value* like) {
  Value* y = op->expand(v, op->shape(like));
  if (y != v && like->facts().has_rank()) y->facts().dims = like->facts().dims;
  return y;
}

Value* filled_like(Op& op, Value* like, Value* number) { return expand_like(op, op->reshape(number, {1}), like); }

// src as a tensor, or `value` in the shape of the index.
Value* source_of(Op& op, const Scatter& s) {
  const bool is_number = op.has("value");
  const ir::Value* source = op.source(is_number ? "value" : "src");
  if (is_number || source->type().is_scalar()) return filled_like(op, s.index, op.scalar_of(source, op.dtype_of(s.x)));
  return at_least_vector(op, op.value_of(source));
}

Combine named(Op& op, std::string_view argument) {
  const std::string how = op.text(argument);
  if (how == "add" || how == "sum") return Combine::Sum;
  if (how == "multiply" || how == "prod") return Combine::Product;
  if (how == "amax") return Combine::Max;
  if (how == "amin") return Combine::Min;
  op.refuse_argument(argument, "is '" + how + "', which has no ONNX form");
}

// scatter.src, .value, .reduce, .value_reduce
Outputs scatter(Op& op) {
  const Scatter s = scatter_of(op);
  const Combine how = op.has("reduce") && !op.is_none("reduce") ? named(op, "reduce") : Combine::Replace;
  return finished(op, s, scatter_elements(op, s.x, s.index, source_of(op, s), s.axis, how));
}

Outputs scatter_add(Op& op) {
  const Scatter s = scatter_of(op);
  return finished(op, s, scatter_elements(op, s.x, s.index, source_of(op, s), s.axis, Combine::Sum));
}

// The sum divided by the number of its terms; integers round down.
Value* scatter_mean(Op& op, const Scatter& s, Value* src, bool include_self) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(s.x);
  const DType wide = ir::is_floating(dtype) ? combining_dtype(b, dtype) : dtype;
  Value* base = b.cast(s.x, wide);
  if (!include_self) base = write_elements(op, base, s.index, filled_like(op, s.index, b.scalar(wide, 0.0)), s.axis);
  Value* total = scatter_elements(op, base, s.index, b.cast(src, wide), s.axis, Combine::Sum);
  Value* ones = filled_like(op, s.x, b.scalar(wide, 1.0));
  if (!include_self) ones = write_elements(op, ones, s.index, filled_like(op, s.index, b.scalar(wide, 0.0)), s.axis);
  Value* one_each = filled_like(op, s.index, b.scalar(wide, 1.0));
  Value* count = scatter_elements(op, ones, s.index, one_each, s.axis, Combine::Sum);
  return b.cast(ir::is_floating(dtype) ? b.div(total, count) : floor_divide(b, total, count), dtype);
}

Value* scatter_combined(Op& op, const Scatter& s, Value* src, const std::string& how, bool include_self) {
  if (is_known_empty(s.index)) return s.x;
  src = trimmed(op, op->cast(src, op.dtype_of(s.x)), s.index);
  if (how == "mean") return scatter_mean(op, s, src, include_self);
  const Combine combine = named(op, "reduce");
  Value* base = s.x;
  if (!include_self)
    base = write_elements(op, base, s.index, filled_like(op, s.index, neutral(op, combine, op.dtype_of(s.x))), s.axis);
  return scatter_elements(op, base, s.index, src, s.axis, combine);
}

// scatter_reduce.two
Outputs scatter_reduce(Op& op) {
  const Scatter s = scatter_of(op);
  return finished(op, s, scatter_combined(op, s, source_of(op, s), op.text("reduce"), op.flag("include_self")));
}

// Reshapes an index vector to the shape of the source along the axis.
Value* along_axis(Op& op, Value* index, Value* source, std::int64_t axis) {
  Dims others = order_with_front(op.rank_of(source), {});
  others.erase(others.begin() + axis);
  return expand_like(op, op->unsqueeze(index, others), source);
}

struct AlongAxis {
  Scatter scatter;
  Value* source;
};

// index_add, index_copy, index_reduce: write slices of source at the indices in a vector.
AlongAxis along_axis_of(Op& op) {
  Scatter s = scatter_of(op, as_places);
  Value* source = op->cast(op.tensor("source"), op.dtype_of(s.x));
  if (op.rank_of(source) < op.rank_of(s.x)) source = op->unsqueeze(source, {s.axis});
  s.index = along_axis(op, s.index, source, s.axis);
  return {s, source};
}

Outputs index_copy(Op& op) {
  const auto [s, source] = along_axis_of(op);
  return finished(op, s, scatter_elements(op, s.x, s.index, source, s.axis, Combine::Replace));
}

Outputs index_add(Op& op) {
  auto [s, source] = along_axis_of(op);
  const ir::Constant* alpha = op.constant("alpha");
  if (!alpha || alpha->as_double() != 1) source = op->mul(source, op.scalar("alpha", op.dtype_of(source)));
  return finished(op, s, scatter_elements(op, s.x, s.index, source, s.axis, Combine::Sum));
}

Outputs index_reduce(Op& op) {
  const auto [s, source] = along_axis_of(op);
  return finished(op, s, scatter_combined(op, s, source, op.text("reduce"), op.flag("include_self")));
}

// aten::put: indices count over all elements
Outputs put(Op& op) {
  Value* x = op.tensor("self");
  Value* flat = op->flatten_to_vector(x);
  Value* index = op->element_from_front(op->flatten_to_vector(op.tensor("index")), flat, 0);
  Value* source = op->flatten_to_vector(op.tensor("source"));
  const Combine how = op.flag("accumulate") ? Combine::Sum : Combine::Replace;
  Value* y = scatter_elements(op, flat, index, source, 0, how);
  return reshape_known(op, y, x->facts().dims, [&] { return op->shape(x); });
}

bool has_one_element(const Value* v) {
  const auto dims = v->facts().fixed_dims();
  return dims && std::all_of(dims->begin(), dims->end(), [](std::int64_t n) { return n == 1; });
}

// x[..., mask, ...] = scalar
Value* fill_under_mask(Op& op, Value* x, Value* mask, std::int64_t axis, Value* number, bool accumulate) {
  Dims after;
  const std::int64_t rank = op.rank_of(mask);
  for (std::int64_t i = axis + rank; i < op.rank_of(x); ++i) after.push_back(i - axis);
  number = op->reshape(number, Dims{});
  Value* condition = op->unsqueeze(op->cast(mask, DType::Bool), after);
  return op->where(condition, accumulate ? op->add(x, number) : number, x);
}

// Below opset 11: writes one element at a time into the flattened tensor.
Value* write_flat(Op& op, Value* x, Value* position, Value* updates, std::int64_t axes) {
  Builder& b = op.builder();
  if (op.opset() < 9) op.needs_opset(9, "writing at indices");
  const std::int64_t rank = op.rank_of(x);
  Value* rest = b.int64(1);
  for (std::int64_t i = axes; i < rank; ++i) rest = multiply_sizes(b, rest, b.size_scalar(x, i));
  Value* rows = b.unsqueeze(b.flatten_to_vector(position), {1});
  Value* all = b.add(b.mul(rows, rest), b.unsqueeze(b.range(rest), {0}));
  Value* y = write_elements(op, b.flatten_to_vector(x), b.flatten_to_vector(all), b.flatten_to_vector(updates), 0);
  return reshape_known(op, y, x->facts().dims, [&] { return b.shape(x); });
}

// The indexed axes are the first ones of x and of the updates, whose leading axes are those of the indices.
Value* write_rows(Op& op, Value* x, const Values& positions, Value* updates, bool accumulate) {
  Builder& b = op.builder();
  const auto count = static_cast<std::int64_t>(positions.size());
  if (op.opset() < 11 && !accumulate) return write_flat(op, x, flat_position_of(op, x, 0, positions), updates, count);
  if (op.opset() < 16 && accumulate) {
    Value* flat = b.flatten_to_vector(flat_position_of(op, x, 0, positions));
    Value* merged = merge_axes(op, x, 0, count);
    const std::int64_t places = op.rank_of(updates) - (op.rank_of(x) - count);
    Value* rows = places == 0 ? b.unsqueeze(updates, {0}) : merge_axes(op, updates, 0, places);
    Value* y = scatter_elements(op, merged, along_axis(op, flat, rows, 0), rows, 0, Combine::Sum);
    return reshape_known(op, y, x->facts().dims, [&] { return b.shape(x); });
  }
  Values columns;
  Value* shape = positions.size() > 1 ? op->broadcast_shape(positions) : nullptr;
  for (Value* p : positions) {
    Value* full = shape ? op->expand(p, shape) : p;
    columns.push_back(b.unsqueeze(full, {op.rank_of(full)}));
  }
  Value* index = b.concat(columns, op.rank_of(columns.front()) - 1);
  const DType dtype = op.dtype_of(x);
  if (!accumulate) return b.op("ScatterND", {x, index, updates});
  const DType wide = combining_dtype(b, dtype);
  const Attributes add{{"reduction", std::string("add")}};
  return b.cast(b.op("ScatterND", {b.cast(x, wide), index, b.cast(updates, wide)}, add), dtype);
}

bool broadcasts_to(const Dims& sizes, const Dims& wanted) {
  return sizes.size() <= wanted.size() && std::equal(sizes.rbegin(), sizes.rend(), wanted.rbegin(),
                                                     [](std::int64_t a, std::int64_t b) { return a == 1 || a == b; });
}

// Values broadcast to the shape that a read at these indices has.
Value* put_at(Op& op, Value* x, const Values& indices, Value* values, bool accumulate) {
  Builder& b = op.builder();
  const auto present = [](const Value* v) { return v != nullptr; };
  const auto only = std::find_if(indices.begin(), indices.end(), present);
  if (only == indices.end()) {
    Value* all = op->expand(values, b.shape(x));
    return accumulate ? b.add(x, all) : all;
  }
  const bool lone = std::count_if(indices.begin(), indices.end(), present) == 1;
  if (lone && is_mask(*only) && has_one_element(values))
    return fill_under_mask(op, x, *only, only - indices.begin(), values, accumulate);
  const Indexing i = indexing_of(op, indices);
  const std::int64_t rank = op.rank_of(x), first = i.first_result_axis();
  const auto count = static_cast<std::int64_t>(i.axes.size());
  const Dims order = order_with_front(rank, i.axes);
  Value* moved = b.transpose(x, order);
  Value* places = i.positions.size() == 1 ? b.shape(i.positions.front()) : op->broadcast_shape(i.positions);
  std::int64_t place_rank = 0;
  for (const Value* p : i.positions) place_rank = std::max(place_rank, op.rank_of(p));
  Values sizes{sizes_between(op, moved, count, count + first), places, sizes_between(op, moved, count + first, rank)};
  std::erase_if(sizes, [&](const Value* s) { return op.fixed_size(s, 0) == 0; });
  Dims numbers;
  bool fixed = true;
  for (const Value* s : sizes) {
    const auto known = known_integers(s);
    fixed = fixed && known;
    if (known) numbers.insert(numbers.end(), known->begin(), known->end());
  }
  if (const auto given = values->facts().fixed_dims(); fixed && given && !broadcasts_to(*given, numbers))
    op.refuse_argument("values", "must have the shape of the written elements");
  Value* shape = fixed ? b.int64s(numbers) : b.concat(sizes, 0);
  Value* updates = op->expand(values, shape);
  if (op.rank_of(updates) > place_rank + rank - count)
    op.refuse_argument("values", "must not have more axes than the written elements");
  if (first > 0) {
    Dims front;
    for (std::int64_t k = 0; k < place_rank; ++k) front.push_back(first + k);
    updates = b.transpose(updates, order_with_front(op.rank_of(updates), front));
  }
  return b.transpose(write_rows(op, moved, i.positions, updates, accumulate), inverse_order(order));
}

// LibTorch allows a scalar of any dtype where masks are true; otherwise the values must have the tensor's dtype.
void require_same_dtype(Op& op, Value* x, Value* values, std::span<Value* const> indices) {
  const DType own = op.dtype_of(x), given = op.dtype_of(values);
  if (own == given) return;
  const auto dims = values->facts().fixed_dims();
  const bool is_one = dims && std::ranges::all_of(*dims, [](std::int64_t size) { return size == 1; });
  const auto is_mask = [&](Value* index) {
    return op.dtype_of(index) == DType::Bool || op.dtype_of(index) == DType::UInt8;
  };
  const bool masks = std::ranges::all_of(indices, [&](Value* index) { return !index || is_mask(index); });
  if (!is_one || !masks)
    op.refuse_argument("values", "must be " + std::string(ir::name_of(own)) + " like the tensor, not " +
                                     std::string(ir::name_of(given)));
}

Outputs index_put(Op& op) {
  Value* x = op.tensor("self");
  Value* given = op.tensor("values");
  const auto indices = op.optional_tensors("indices");
  require_same_dtype(op, x, given, indices);
  return put_at(op, x, indices, op->cast(given, op.dtype_of(x)), op.flag("accumulate"));
}

// _unsafe_masked_index_put_accumulate: elements outside the mask add zero at a clamped index
Outputs masked_index_put(Op& op) {
  Value* x = op.tensor("self");
  const Term values{op.builder(), op->cast(op.tensor("values"), op.dtype_of(x))};
  const Term mask = values.with(op->cast(op.tensor("mask"), DType::Bool));
  return put_at(op, x, within_sizes(op, x, op.optional_tensors("indices")), where(mask, values, 0).value(), true);
}

constexpr Row kScatterRows[] = {
    {"aten::scatter", 9, scatter},
    {"aten::scatter_add", 7, scatter_add},
    {"aten::scatter_reduce", 7, scatter_reduce},
    {"aten::index_copy", 9, index_copy},
    {"aten::index_add", 7, index_add},
    {"aten::index_reduce", 7, index_reduce},
    {"aten::put", 7, put},
    {"aten::index_put", 7, index_put},
    {"aten::_unsafe_index_put", 7, index_put},
    {"aten::_unsafe_masked_index_put_accumulate", 9, masked_index_put},
    {"aten::_index_put_impl", 7, index_put},
};

}  // namespace

std::span<const Row> scatter_rows() { return kScatterRows; }

}  // namespace tonnx::lower
