#include <algorithm>
#include <numeric>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/known.h"
#include "lower/require.h"
#include "lower/sizes.h"
#include "lower/strided.h"

// Replaces a regular part of a tensor, or its elements under a mask: the functional form of writes to views.
namespace tonnx::lower {
namespace {

// Along `axis`, element i of the result is src[source[i]] if source[i] is not negative, else x[i].
Value* overlay(Op& op, Value* x, Value* src, std::int64_t axis, Value* source) {
  Builder& b = op.builder();
  Value* size = b.size_scalar(x, axis);
  Value* kept = b.range(size);
  Value* positions = b.where(less(b, source, b.int64(0)), kept, b.add(source, size));
  return b.take(b.concat({x, src}, axis), positions, axis);
}

// The same with constant indices: -1 keeps x.
Value* overlay_known(Op& op, Value* x, Value* src, std::int64_t axis, Dims source) {
  const auto size = static_cast<std::int64_t>(source.size());
  for (std::int64_t i = 0; i < size; ++i) {
    std::int64_t& s = source[static_cast<std::size_t>(i)];
    s = s < 0 ? i : s + size;
  }
  return op->take(op->concat({x, src}, axis), op->int64s(source), axis);
}

// src in the dtype of x.
Value* fitted(Op& op, Value* src, const Value* x) {
  if (op.rank_of(src) != op.rank_of(x)) op.refuse("the written part must have the rank of the replaced part");
  return op->cast(src, op.dtype_of(x));
}

Value* join(Op& op, Value* before, Value* src, Value* after, std::int64_t axis) {
  Values parts;
  if (before) parts.push_back(before);
  parts.push_back(src);
  if (after) parts.push_back(after);
  return op->concat(parts, axis);
}

Value* slice_with_step(Op& op, Value* x, Value* src, std::int64_t axis, Value* start, Value* end, Value* step) {
  Builder& b = op.builder();
  const auto known_step = known_integers(step);
  const auto size = op.fixed_size(x, axis);
  const auto first = start ? known_integers(start) : Dims{0};
  const auto last = end ? known_integers(end) : Dims{INT64_MAX};
  if (size && first && last && known_step) {
    const std::int64_t to = clamped_bound(last->front(), *size);
    Dims source(static_cast<std::size_t>(*size), -1);
    std::int64_t k = 0;
    for (std::int64_t i = clamped_bound(first->front(), *size); i < to; i += known_step->front())
      source[static_cast<std::size_t>(i)] = k++;
    return overlay_known(op, x, src, axis, source);
  }
  // The steps of a slice count from its start, and src has as many elements as the slice.
  Value* n = b.size_scalar(x, axis);
  Value* zero = b.int64(0);
  Value* begin = start ? bound_from_front(op, x, axis, start) : zero;
  begin = b.where(less(b, begin, zero), zero, begin);
  Value* offset = b.sub(b.range(n), begin);
  Value* source = b.div(offset, step);
  Value* on_step = equal(b, b.mul(source, step), offset);
  Value* inside = b.op("And", {less(b, source, b.size_scalar(src, axis)), greater_equal(b, offset, zero)});
  return overlay(op, x, src, axis, b.where(b.op("And", {on_step, inside}), source, b.int64(-1)));
}

// The size of the part is as known, except in runs in which the axis is empty.
Value* none_of_none(Op& op, Value* part, std::int64_t size, Value* x, std::int64_t axis) {
  Value* there = op->size_scalar(x, axis);
  if (op.opset() >= 11) return slice_between(op, part, axis, nullptr, there);
  if (op.opset() < 9) return part;
  Dims places(static_cast<std::size_t>(size));
  std::iota(places.begin(), places.end(), 0);
  return op->op("Compress", {part, less(op.builder(), op->int64s(places), there)}, {{"axis", axis}});
}

Outputs slice_scatter(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  Value* src = fitted(op, op.tensor("src"), x);
  Value* start = slice_bound(op, "start");
  Value* end = slice_bound(op, "end");
  Value* step = op.scalar("step", DType::Int64);
  if (known_integers(step) != Dims{1}) return slice_with_step(op, x, src, axis, start, end, step);
  const auto first = start ? known_integers(start) : Dims{0};
  const auto last = end ? known_integers(end) : Dims{INT64_MAX};
  const auto size = op.fixed_size(x, axis);
  if (first && last && size) {
    const std::int64_t from = clamped_bound(first->front(), *size), to = clamped_bound(last->front(), *size);
    if (to <= from) return x;
    return join(op, from > 0 ? op->slice(x, axis, 0, from) : nullptr, src,
                to < *size ? op->slice(x, axis, to, INT64_MAX) : nullptr, axis);
  }
  const bool from_start = first && first->front() == 0;
  if (from_start && last && last->front() == INT64_MAX) return src;
  if (const auto part = op.fixed_size(src, axis); part && !size) src = none_of_none(op, src, *part, x, axis);
  Value* before = from_start ? nullptr : slice_between(op, x, axis, nullptr, start);
  Value* after = nullptr;
  const bool one_side = first && last && (first->front() < 0) == (last->front() < 0) && first->front() <= last->front();
  if (one_side) {
    // Both bounds are clamped, so the slice after `end` follows the written part.
    if (last->front() != INT64_MAX) after = slice_between(op, x, axis, end, nullptr);
  } else if (from_start && end) {
    after = slice_between(op, x, axis, end, nullptr);
  } else if (end && !(last && last->front() == INT64_MAX)) {
    Value* passed = op->size_scalar(src, axis);
    if (before) passed = add_sizes(op.builder(), op->size_scalar(before, axis), passed);
    after = slice_between(op, x, axis, passed, nullptr);
  }
  return join(op, before, src, after, axis);
}

Outputs select_scatter(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  Value* src = op->unsqueeze(op->cast(op.tensor("src"), op.dtype_of(x)), {axis});
  Value* index = op.scalar("index", DType::Int64);
  const auto known = known_integers(index);
  if (op.fixed_size(x, axis) == 1) return src;
  if (known) {
    const std::int64_t i = known->front();
    const auto size = op.fixed_size(x, axis);
    if (size && (i < -*size || i >= *size))
      op.refuse("index " + std::to_string(i) + " is out of range of an axis of size " + std::to_string(*size));
    const bool is_last = i == -1 || (size && i == *size - 1);
    return join(op, i == 0 ? nullptr : op->slice(x, axis, 0, i), src,
                is_last ? nullptr : op->slice(x, axis, i + 1, INT64_MAX), axis);
  }
  index = op->element_from_front(index, x, axis);
  x = require(op.builder(), x, less(op.builder(), index, op->size_scalar(x, axis)));
  return join(op, slice_between(op, x, axis, nullptr, index), src,
              slice_between(op, x, axis, op->add(index, op->int64(1)), nullptr), axis);
}

Outputs diagonal_scatter(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  Value* src = b.cast(op.tensor("src"), op.dtype_of(x));
  const std::int64_t rank = op.rank_of(x), offset = op.integer("offset");
  const Dims order = order_with_back(rank, {op.axis("dim1", x), op.axis("dim2", x)});
  Value* y = b.transpose(x, order);
  Value* flat = merge_axes(op, y, rank - 2, 2);
  const auto rows = op.fixed_size(y, rank - 2), columns = op.fixed_size(y, rank - 1);
  Value* written = nullptr;
  if (rows && columns) {
    Dims source(static_cast<std::size_t>(*rows * *columns), -1);
    std::int64_t k = 0;
    for (std::int64_t r = std::max<std::int64_t>(-offset, 0); r < *rows && r + offset < *columns; ++r)
      source[static_cast<std::size_t>(r * *columns + r + offset)] = k++;
    written = overlay_known(op, flat, src, rank - 2, source);
  } else {
    Value* height = b.size_scalar(y, rank - 2);
    Value* width = b.size_scalar(y, rank - 1);
    Value* row = b.unsqueeze(b.range(height), {1});
    Value* column = b.unsqueeze(b.range(width), {0});
    Value* on_diagonal = equal(b, b.sub(column, row), b.int64(offset));
    Value* number = offset < 0 ? b.add(column, b.mul(row, b.int64(0))) : b.add(row, b.mul(column, b.int64(0)));
    Value* source = b.where(on_diagonal, number, b.int64(-1));
    written = overlay(op, flat, src, rank - 2, b.flatten_to_vector(source));
  }
  Values parts;
  if (rank > 2) parts.push_back(sizes_between(op, y, 0, rank - 2));
  parts.push_back(sizes_between(op, y, rank - 2, rank));
  Value* shaped = reshape_known(op, written, y->facts().dims, [&] { return b.concat(parts, 0); });
  return b.transpose(shaped, inverse_order(order));
}

Outputs as_strided_scatter(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  Value* src = b.flatten_to_vector(b.cast(op.tensor("src"), op.dtype_of(x)));
  Value* flat = b.flatten_to_vector(x);
  const auto shaped = [&](Value* y) { return reshape_known(op, y, x->facts().dims, [&] { return b.shape(x); }); };
  if (!has_known_positions(op)) {
    Value* positions = b.flatten_to_vector(strided_positions_at_run_time(op, op.tensor("src")->facts()));
    if (op.opset() < 11) op.needs_opset(11, "writing with strides known at run time only");
    return shaped(b.op("ScatterElements", {flat, positions, src}, {{"axis", std::int64_t{0}}}));
  }
  const Dims positions = strided_positions(op);
  if (positions.empty()) return x;
  // Elements after the last written index do not change, whatever the size of the axis.
  Dims source(static_cast<std::size_t>(*std::ranges::max_element(positions)) + 1, -1);
  for (std::size_t k = 0; k < positions.size(); ++k)
    source[static_cast<std::size_t>(positions[k])] = static_cast<std::int64_t>(k);
  const auto count = static_cast<std::int64_t>(source.size());
  const bool is_all = op.fixed_size(flat, 0) == count;
  Value* front = overlay_known(op, is_all ? flat : b.slice(flat, 0, 0, count), src, 0, std::move(source));
  return shaped(is_all ? front : b.concat({front, b.slice(flat, 0, count, INT64_MAX)}, 0));
}

// masked_fill.Scalar, .Tensor
Outputs masked_fill(Op& op) {
  Value* x = op.tensor("self");
  Value* value = op.scalar("value", op.dtype_of(x));
  return op->where(op->cast(op.tensor("mask"), DType::Bool), value, x);
}

// aten::masked_scatter: the true elements of the mask receive the elements of the source in order.
Outputs masked_scatter(Op& op) {
  Builder& b = op.builder();
  if (op.opset() < 11) op.needs_opset(11, "masked_scatter");
  Value* x = op.tensor("self");
  Value* mask = op.tensor("mask");
  if (op.dtype_of(mask) != DType::Bool) op.refuse_argument("mask", "must be a bool tensor");
  Value* source = b.flatten_to_vector(b.cast(op.tensor("source"), op.dtype_of(x)));
  if (!same_sizes(x, mask)) op->broadcast(x, mask);
  Value* number = b.op("CumSum", {b.cast(b.flatten_to_vector(mask), DType::Int64), b.int64(0)});
  Value* shape = b.shape(x);
  // One more element, so that elements before the first true one can be gathered.
  Value* padded = b.concat({b.reshape(b.scalar(op.dtype_of(x), std::int64_t{0}), {1}), source}, 0);
  Value* taken = b.take(padded, number, 0);
  return b.where(mask, b.reshape_exactly(taken, shape), x);
}

Outputs index_fill(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  Value* value = op.scalar("value", op.dtype_of(x));
  Value* whole = at_least_vector(op, x);
  Value* positions = b.range(b.size_scalar(whole, axis));
  // The Gather fails at an index out of range, which would match no position.
  Value* place = b.gather(positions, b.cast(b.flatten_to_vector(op.tensor("index")), DType::Int64), 0);
  Value* matches = equal(b, b.unsqueeze(positions, {1}), b.unsqueeze(place, {0}));
  Value* filled = b.cast(b.reduce("ReduceSum", b.cast(matches, DType::Int32), Dims{1}, false), DType::Bool);
  Dims after;
  for (std::int64_t i = axis + 1; i < op.rank_of(whole); ++i) after.push_back(i - axis);
  Value* y = b.where(b.unsqueeze(filled, after), value, whole);
  return op.rank_of(x) == 0 ? b.reshape(y, Dims{}) : y;
}

// True where the indices on all axes are equal; for a matrix with wrap, modulo the number of columns plus one.
Value* on_diagonal(Op& op, Value* x, bool wraps) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  const auto places = [&](std::int64_t axis) {
    Dims others;
    for (std::int64_t i = 0; i < rank; ++i)
      if (i != axis) others.push_back(i);
    return b.unsqueeze(b.range(b.size_scalar(x, axis)), others);
  };
  Value* first = places(0);
  if (wraps && rank == 2) first = remainder(b, first, b.add(b.size_scalar(x, 1), b.int64(1)));
  Value* mask = nullptr;
  for (std::int64_t axis = 1; axis < rank; ++axis) {
    Value* matches = equal(b, first, places(axis));
    mask = mask ? b.op("And", {mask, matches}) : matches;
  }
  return mask;
}

// aten::fill_diagonal of a matrix; for tensors with more axes, of equal sizes, the main diagonal.
Outputs fill_diagonal(Op& op) {
  Value* x = op.tensor("self");
  const auto dims = x->facts().fixed_dims();
  if (!dims) return op->where(on_diagonal(op, x, op.flag("wrap")), op.scalar("fill_value", op.dtype_of(x)), x);
  std::int64_t step = 0, count = 1;
  for (const std::int64_t n : *dims) count *= n;
  const Dims strides = ir::contiguous_strides(*dims);
  for (const std::int64_t s : strides) step += s;
  std::int64_t length = *std::min_element(dims->begin(), dims->end());
  std::vector<std::byte> bits(static_cast<std::size_t>(count));
  const bool wraps = op.flag("wrap") && dims->size() == 2 && (*dims)[0] > (*dims)[1];
  if (wraps) length = (count + step - 1) / step;
  for (std::int64_t i = 0; i < length && i * step < count; ++i) bits[static_cast<std::size_t>(i * step)] = std::byte{1};
  Value* mask = op->constant(ir::Tensor::from_bytes(DType::Bool, *dims, bits.data(), bits.size()));
  return op->where(mask, op.scalar("fill_value", op.dtype_of(x)), x);
}

constexpr Row kViewScatterRows[] = {
    {"aten::slice_scatter", 7, slice_scatter},
    {"aten::select_scatter", 7, select_scatter},
    {"aten::diagonal_scatter", 7, diagonal_scatter},
    {"aten::as_strided_scatter", 7, as_strided_scatter},
    {"aten::masked_fill", 7, masked_fill},
    {"aten::masked_scatter", 11, masked_scatter},
    {"aten::index_fill", 7, index_fill},
    {"aten::fill_diagonal", 7, fill_diagonal},
};

}  // namespace

std::span<const Row> view_scatter_rows() { return kViewScatterRows; }

}  // namespace tonnx::lower
