#include "lower/matrix.h"

#include <algorithm>
#include <numeric>

#include "lower/known.h"

namespace tonnx::lower {

Term matrices(Op& op, Value* x) {
  Builder& b = op.builder();
  const std::int64_t rank = op.rank_of(x);
  if (rank < 2) op.refuse("it needs a matrix, not a tensor of rank " + std::to_string(rank));
  x = b.cast(x, DType::Float64);
  return {b, rank == 2 ? b.unsqueeze(x, {0}) : merge_axes(op, x, 0, rank - 2)};
}

Term matrices(Op& op, std::string_view argument) { return matrices(op, op.tensor(argument)); }

namespace {

// Reshapes y; without elements if a dim is 0, which Reshape below opset 14 would copy from the input.
Value* reshape_empty(Builder& b, Value* y, Value* shape) {
  const Term sizes{b, shape};
  const Term filled = max(sizes, 1);
  Value* room = b.expand(b.scalar_like(y, 0), filled.value());
  Value* all = b.concat({b.flatten_to_vector(y), b.flatten_to_vector(room)}, 0);
  Value* count = b.size(b.flatten_to_vector(room), 0);
  Value* first = b.slice(all, b.int64s({0}), count, b.int64s({0}));
  const std::optional<Dims> rank = shape->facts().fixed_dims();
  Dims axes(static_cast<std::size_t>(rank.value().front()));
  std::iota(axes.begin(), axes.end(), 0);
  return b.slice(b.reshape(first, filled.value()), b.int64s(Dims(axes.size(), 0)), shape, b.int64s(axes));
}

}  // namespace

Value* with_batch_of(Op& op, Value* like, Term y, std::int64_t matrix_rank) {
  Builder& b = op.builder();
  const std::int64_t batch = op.rank_of(like) - 2;
  if (batch == 1) return y.value();
  if (batch == 0) return b.squeeze(y.value(), {0});
  DimFacts dims;
  const DimFacts& own = y.value()->facts().dims;
  if (like->facts().dims && own) {
    dims.emplace(like->facts().dims->begin(), like->facts().dims->begin() + batch);
    dims->insert(dims->end(), own->begin() + 1, own->end());
  }
  const auto shape = [&] {
    Value* front = sizes_between(op, like, 0, batch);
    return matrix_rank == 0 ? front : b.concat({front, sizes_between(op, y.value(), 1, 1 + matrix_rank)}, 0);
  };
  const auto is_fixed = [](const ir::Dim& d) { return d.is_fixed(); };
  if (op.opset() < 14 && is_known_empty(like) && !(dims && std::all_of(dims->begin(), dims->end(), is_fixed)))
    return reshape_empty(b, y.value(), shape());
  return reshape_known(op, y.value(), dims, shape);
}

Term row_count(Term a) { return a.with(a.builder().size_scalar(a.value(), 1)); }
Term column_count(Term a) { return a.with(a.builder().size_scalar(a.value(), 2)); }
Term row_numbers(Term a) { return unsqueezed(a.with(a.builder().range(row_count(a).value())), 1); }
Term column_numbers(Term a) { return a.with(a.builder().range(column_count(a).value())); }

Term transposed(Term a) { return a.with(a.builder().transpose(a.value(), {0, 2, 1})); }
Term matmul(Term a, Term b) { return a.with(a.builder().matmul(a.value(), b.value())); }

Term identity_of(Term a, Term rows, Term columns) {
  Builder& b = a.builder();
  const Term r = unsqueezed(a.with(b.range(rows.value())), 1);
  return (r == a.with(b.range(columns.value()))).cast(DType::Float64);
}
Term identity_like(Term a) { return identity_of(a, row_count(a), row_count(a)); }

Term row(Term a, Term k) {
  Builder& b = a.builder();
  return a.with(b.take(a.value(), b.reshape(k.value(), {1}), 1));
}
Term column(Term a, Term k) {
  Builder& b = a.builder();
  return a.with(b.take(a.value(), b.reshape(k.value(), {1}), 2));
}

Term sum_along(Term a, std::int64_t axis) {
  return a.with(a.builder().reduce("ReduceSum", a.value(), Dims{axis}, true));
}
Term squeezed(Term a, std::int64_t axis) { return a.with(a.builder().squeeze(a.value(), {axis})); }
Term unsqueezed(Term a, std::int64_t axis) { return a.with(a.builder().unsqueeze(a.value(), {axis})); }

Term diagonal(Term a) {
  const Term on = where(row_numbers(a) == column_numbers(a), a, 0);
  const Term least = min(row_count(a), column_count(a));
  Term sums = squeezed(sum_along(on, 1), 1);
  Builder& b = a.builder();
  const Term zero = a.with(b.int64s({0})), end = a.with(b.reshape(least.value(), {1}));
  return a.with(b.slice(sums.value(), zero.value(), end.value(), b.int64s({1})));
}

Term rows_at(Op& op, Term a, Term places) {
  Builder& b = op.builder();
  Value* shape = b.concat({b.shape(places.value()), b.reshape(column_count(a).value(), {1})}, 0);
  Value* full = op->expand(b.unsqueeze(places.value(), {2}), shape);
  return a.with(b.gather_elements(a.value(), full, 1));
}

namespace {

Term first_along(Term a, std::int64_t axis, Term count) {
  Builder& b = a.builder();
  return a.with(b.slice(a.value(), b.int64s({0}), b.reshape(count.value(), {1}), b.int64s({axis})));
}

}  // namespace

Term first_rows(Term a, Term count) { return first_along(a, 1, count); }
Term first_columns(Term a, Term count) { return first_along(a, 2, count); }

Term lower_triangle(Term a, bool keep_diagonal) {
  const Term r = row_numbers(a), c = column_numbers(a);
  return where(keep_diagonal ? r >= c : r > c, a, 0);
}
Term upper_triangle(Term a, bool keep_diagonal) {
  const Term r = row_numbers(a), c = column_numbers(a);
  return where(keep_diagonal ? r <= c : r < c, a, 0);
}

Value* info_of(Op& op, Value* like, Term bad) {
  Builder& b = op.builder();
  const Term met{b, b.op("CumSum", {bad.cast(DType::Int32).value(), b.int64(1)})};
  const Term before = bad.with(b.reduce("ReduceSum", (met == 0).cast(DType::Int64).value(), Dims{1}, false));
  const Term none = before == before.with(b.size_scalar(bad.value(), 1));
  return with_batch_of(op, like, where(none, 0, before + 1).cast(DType::Int32), 0);
}

}  // namespace tonnx::lower
