#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/known.h"
#include "lower/loop.h"
#include "lower/reduce.h"
#include "lower/sizes.h"

// Permutations of axes, and of elements along an axis: transpose, permute, movedim, flip, rot90, roll.
namespace tonnx::lower {
namespace {

Dims identity_order(std::int64_t rank) {
  Dims order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// transpose.int(dim0, dim1), swapaxes(axis0, axis1)
Outputs transpose(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t rank = op.rank_of(x);
  const bool dims = op.has("dim0");
  const std::int64_t first = op.wrap_axis(op.integer(dims ? "dim0" : "axis0"), rank);
  const std::int64_t second = op.wrap_axis(op.integer(dims ? "dim1" : "axis1"), rank);
  return rank == 0 ? x : op->swap_axes(x, first, second);
}

Outputs t(Op& op) {
  Value* x = op.tensor("self");
  return op.rank_of(x) < 2 ? x : op->transpose(x, {1, 0});
}

Outputs reverse_axes(Op& op) {
  Value* x = op.tensor("self");
  Dims order = identity_order(op.rank_of(x));
  std::reverse(order.begin(), order.end());
  return op->transpose(x, order);
}

// mT, adjoint of a real tensor
Outputs matrix_transpose(Op& op) {
  Value* x = op.tensor("self");
  return op.rank_of(x) < 2 ? x : op->swap_axes(x, -2, -1);
}

Outputs permute(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  return op->transpose(x, op.axes("dims", x));
}

Outputs movedim(Op& op) {
  Value* x = op.tensor("self");
  const Dims from = op.axes("source", x), to = op.axes("destination", x);
  if (op.rank_of(x) == 0) return x;
  Dims order(static_cast<std::size_t>(op.rank_of(x)), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to.at(i))] = from[i];
  std::int64_t next = 0;
  for (std::int64_t& axis : order) {
    if (axis >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    axis = next++;
  }
  return op->transpose(x, order);
}

Value* flip_axes(Op& op, Value* x, const Dims& axes) {
  if (axes.empty() || op.rank_of(x) == 0) return x;
  if (op.opset() >= 10) {
    const std::size_t count = axes.size();
    return op->slice(x, op->int64s(Dims(count, -1)), op->int64s(Dims(count, INT64_MIN)), op->int64s(axes),
                     op->int64s(Dims(count, -1)));
  }
  for (const std::int64_t axis : axes) {
    Value* size = op->size_scalar(x, axis);
    Value* indices = nullptr;
    if (const auto n = op.fixed_size(x, axis)) {
      Dims numbers = identity_order(*n);
      std::reverse(numbers.begin(), numbers.end());
      indices = op->int64s(numbers);
    } else {
      indices = op->sub(op->sub(size, op->int64(1)), op->range(size));
    }
    x = op->take(x, indices, axis);
  }
  return x;
}

Outputs flip(Op& op) {
  Value* x = op.tensor("self");
  const Dims axes = op.axes("dims", x);
  for (auto it = axes.begin(); it != axes.end(); ++it)
    if (std::find(axes.begin(), it, *it) != it)
      op.refuse_argument("dims", "names axis " + std::to_string(*it) + " twice");
  return flip_axes(op, x, axes);
}
Outputs fliplr(Op& op) { return flip_axes(op, op.tensor("self"), {1}); }
Outputs flipud(Op& op) { return flip_axes(op, op.tensor("self"), {0}); }

// aten::rot90 with a dynamic number of rotations.
Value* turned(Op& op, Value* x, const Dims& axes, Value* quarters) {
  Builder& b = op.builder();
  const auto size = op.fixed_size(x, axes[0]);
  if (op.opset() < 11 && (!size || size != op.fixed_size(x, axes[1])))
    op.needs_opset(11, "rotating axes of different sizes by a k known at run time only");
  Value* rest = remainder(b, quarters, b.int64(4));
  Value* is_half = less(b, b.int64(1), rest);
  Value* is_odd = equal(b, remainder(b, rest, b.int64(2)), b.int64(1));
  Value* y = either(b, is_half, [&] { return flip_axes(op, x, axes); }, [&] { return x; });
  return either(
      b, is_odd, [&] { return b.swap_axes(flip_axes(op, y, {axes[1]}), axes[0], axes[1]); }, [&] { return y; });
}

Outputs rot90(Op& op) {
  Value* x = op.tensor("self");
  const Dims axes = op.axes("dims", x);
  if (axes.size() != 2) op.refuse_argument("dims", "must name two axes");
  if (!op.is_constant("k")) return turned(op, x, axes, op.scalar("k", DType::Int64));
  const std::int64_t quarters = ((op.integer("k") % 4) + 4) % 4;
  if (quarters == 0) return x;
  if (quarters == 2) return flip_axes(op, x, axes);
  Value* y = flip_axes(op, x, {quarters == 1 ? axes[1] : axes[0]});
  return op->swap_axes(y, axes[0], axes[1]);
}

// Element i is element i - shift of x, modulo the size.
Value* roll_axis(Op& op, Value* x, std::int64_t axis, Value* shift) {
  Builder& b = op.builder();
  const auto known = known_integers(shift);
  if (known && known->front() == 0) return x;
  if (const auto size = op.fixed_size(x, axis); size && known) {
    if (*size == 0) return x;
    const std::int64_t cut = ((-known->front() % *size) + *size) % *size;
    if (cut == 0) return x;
    return b.concat({b.slice(x, axis, cut, INT64_MAX), b.slice(x, axis, 0, cut)}, axis);
  }
  // A roll by one needs no size; below opset 9 a small one is several rolls by one.
  const std::int64_t steps = known ? std::abs(known->front()) : 0;
  if (steps == 1 || (known && op.opset() < 9 && steps <= 16)) {
    const std::int64_t cut = known->front() > 0 ? -1 : 1;
    for (std::int64_t i = 0; i < steps; ++i)
      x = b.concat({b.slice(x, axis, cut, INT64_MAX), b.slice(x, axis, 0, cut)}, axis);
    return x;
  }
  Value* size = b.size_scalar(x, axis);
  Value* divisor = b.where(equal(b, size, b.int64(0)), b.int64(1), size);
  Value* back = known ? b.int64(-known->front()) : b.op("Neg", {shift});
  Value* cut = remainder(b, back, divisor);
  if (op.opset() < 10) {
    Value* indices = remainder(b, b.add(b.range(size), cut), divisor);
    return b.take(x, indices, axis);
  }
  return b.concat({slice_between(op, x, axis, cut, nullptr), slice_between(op, x, axis, nullptr, cut)}, axis);
}

Outputs roll(Op& op) {
  Value* x = op.tensor("self");
  if (op.rank_of(x) == 0) return x;
  const auto shifts = listed_numbers(op, "shifts");
  if (!shifts) op.refuse_argument("shifts", "must be a list of known length");
  const Dims axes = op.axes("dims", x);
  if (shifts->size() != std::max<std::size_t>(axes.size(), 1))
    op.refuse_argument("shifts", "must have one number for each axis");
  if (reduced_count(op, x, {{}, true, false}) == 0) return x;
  if (axes.empty()) {
    Value* y = roll_axis(op, op->flatten_to_vector(x), 0, shifts->at(0));
    if (const auto fixed = x->facts().fixed_dims()) return op->reshape(y, *fixed);
    return op->reshape_exactly(y, op->shape(x));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) x = roll_axis(op, x, axes[i], shifts->at(i));
  return x;
}

constexpr Row kPermutationRows[] = {
    {"aten::transpose", 7, transpose},
    {"aten::transpose_copy", 7, transpose},
    {"aten::swapaxes", 7, transpose},
    {"aten::swapdims", 7, transpose},
    {"aten::t", 7, t},
    {"aten::t_copy", 7, t},
    {"aten::numpy_T", 7, reverse_axes},
    {"aten::mT", 7, matrix_transpose},
    {"aten::mH", 7, matrix_transpose},
    {"aten::matrix_H", 7, matrix_transpose},
    {"aten::adjoint", 7, matrix_transpose},
    {"aten::permute", 7, permute},
    {"aten::permute_copy", 7, permute},
    {"aten::movedim", 7, movedim},
    {"aten::moveaxis", 7, movedim},
    {"aten::flip", 7, flip},
    {"aten::fliplr", 7, fliplr},
    {"aten::flipud", 7, flipud},
    {"aten::rot90", 7, rot90},
    {"aten::roll", 7, roll},
};

}  // namespace

std::span<const Row> permutation_rows() { return kPermutationRows; }

}  // namespace tonnx::lower
