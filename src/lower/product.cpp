#include "lower/families.h"
#include "lower/formula.h"
#include "lower/promotion.h"
#include "lower/spatial.h"
#include "lower/whole.h"

// Elementwise products and tuples of elements: cross, Kronecker, Vandermonde and Cartesian products.
namespace tonnx::lower {
namespace {

Outputs cross_along(Op& op, std::int64_t axis, Value* x, Value* y) {
  Builder& b = op.builder();
  const auto turned = [&](Value* v, std::int64_t by) {
    return Term{b, b.gather(v, b.int64s({by % 3, (by + 1) % 3, (by + 2) % 3}), axis)};
  };
  return (turned(x, 1) * turned(y, 2) - turned(x, 2) * turned(y, 1)).value();
}

Outputs linalg_cross(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  Value* x = operand(op, 0, dtype);
  return cross_along(op, op.axis("dim", x), x, operand(op, 1, dtype));
}

// aten::cross. Without dim: along the first axis of size 3.
Outputs cross(Op& op) {
  if (!op.is_none("dim")) return linalg_cross(op);
  const DType dtype = compute_dtype(op, {0, 1});
  Value* x = operand(op, 0, dtype);
  for (std::int64_t axis = 0; axis < op.rank_of(x); ++axis)
    if (op.fixed_size(x, axis) == 3) return cross_along(op, axis, x, operand(op, 1, dtype));
  op.refuse_argument("self", "must have an axis of fixed size 3; specify it with dim");
}

Outputs vecdot(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  Value* product = op->mul(operand(op, 0, dtype), operand(op, 1, dtype));
  const std::int64_t rank = op.rank_of(product);
  return sum_in_dtype(op.builder(), product, Dims{op.wrap_axis(op.integer("dim"), rank)}, false);
}

// aten::kron: axis i of the result combines axis i of self (outer) and of other (inner)
Outputs kron(Op& op) {
  Builder& b = op.builder();
  const DType dtype = compute_dtype(op, {0, 1});
  Value* x = operand(op, 0, dtype);
  Value* y = operand(op, 1, dtype);
  const std::int64_t rank = std::max(op.rank_of(x), op.rank_of(y));
  const auto of_rank = [&](Value* v) {
    Dims front(static_cast<std::size_t>(rank - op.rank_of(v)));
    for (std::size_t i = 0; i < front.size(); ++i) front[i] = static_cast<std::int64_t>(i);
    return b.unsqueeze(v, front);
  };
  x = of_rank(x);
  y = of_rank(y);
  Dims odd, even;
  for (std::int64_t i = 0; i < rank; ++i) {
    odd.push_back(2 * i + 1);
    even.push_back(2 * i);
  }
  Value* product = b.mul(b.unsqueeze(x, odd), b.unsqueeze(y, even));
  return reshape_to_result(op, product, [&] { return b.mul(b.shape(x), b.shape(y)); });
}

// The powers 0, 1, ... of each element along a new last axis: linalg_vander, and vander, which also supports descending
// powers
Outputs vander(Op& op) {
  Builder& b = op.builder();
  Value* x = at_least_vector(op, op.tensor("x"));
  const DType dtype = ir::is_floating(op.dtype_of(x)) ? op.dtype_of(x) : DType::Int64;
  Value* base = in_full_precision(b, b.cast(x, dtype));
  const std::int64_t rank = op.rank_of(x);
  Value* count = op.is_none("N") ? b.size_scalar(x, -1) : op.scalar("N", DType::Int64);
  Term powers{b, b.range(count)};
  if (op.has("increasing") && !op.flag("increasing")) powers = powers.with(count) - 1 - powers;
  if (dtype == DType::Int64) {
    Value* first = b.op("Equal", {b.range(count), b.int64(0)});
    return b.take(running_whole_product(op, b.where(first, b.int64(1), b.unsqueeze(base, {rank})), rank),
                  powers.value(), rank);
  }
  return b.cast(b.op("Pow", {b.unsqueeze(base, {rank}), powers.cast(op.dtype_of(base)).value()}), dtype);
}

// aten::cartesian_prod: one row for each tuple of elements; the last element varies fastest.
Outputs cartesian_prod(Op& op) {
  Builder& b = op.builder();
  const Values vectors = op.tensors("tensors");
  if (vectors.size() == 1) return vectors.front();
  const auto count = static_cast<std::int64_t>(vectors.size());
  Values sizes;
  for (Value* v : vectors) sizes.push_back(b.size(v, 0));
  Value* shape = b.join_sizes(sizes);
  Values columns;
  for (std::int64_t i = 0; i < count; ++i) {
    Dims others;
    for (std::int64_t k = 0; k < count; ++k)
      if (k != i) others.push_back(k);
    Value* grid = op->expand(b.unsqueeze(vectors[static_cast<std::size_t>(i)], others), shape);
    columns.push_back(b.unsqueeze(b.flatten_to_vector(grid), {1}));
  }
  return b.concat(columns, 1);
}

// aten::combinations: the rows of r elements in ascending order of their indices
Outputs combinations(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const std::int64_t r = op.integer("r");
  const bool again = op.flag("with_replacement");
  if (r == 0) return b.constant(ir::Tensor::from_bytes(op.dtype_of(x), {0}, nullptr, 0));
  if (r == 1) return b.unsqueeze(x, {1});
  const Term places{b, b.range(b.size_scalar(x, 0))};
  const auto on_axis = [&](std::int64_t axis) {
    Dims others;
    for (std::int64_t k = 0; k < r; ++k)
      if (k != axis) others.push_back(k);
    return places.with(b.unsqueeze(places.value(), others));
  };
  const auto ordered = [&](std::int64_t axis) {
    return again ? on_axis(axis) <= on_axis(axis + 1) : on_axis(axis) < on_axis(axis + 1);
  };
  Term chosen = ordered(0);
  for (std::int64_t axis = 1; axis + 1 < r; ++axis) chosen = chosen && ordered(axis);
  Value* rows = b.transpose(b.op("NonZero", {chosen.cast(DType::Float32).value()}), {1, 0});
  return b.gather(x, rows, 0);
}

constexpr Row kProductRows[] = {
    {"aten::cross", 7, cross},
    {"aten::linalg_cross", 7, linalg_cross},
    {"aten::linalg_vecdot", 7, vecdot},
    {"aten::kron", 7, kron},
    {"aten::linalg_vander", 7, vander},
    {"aten::vander", 7, vander},
    {"aten::cartesian_prod", 7, cartesian_prod},
    {"aten::combinations", 9, combinations},
};

}  // namespace

std::span<const Row> product_rows() { return kProductRows; }

}  // namespace tonnx::lower
