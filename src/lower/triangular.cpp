#include "lower/triangular.h"

#include "lower/families.h"
#include "lower/loop.h"

// Triangular matrices: substitution, and Cholesky factors.
namespace tonnx::lower {

Term solve_triangular(Op& op, Term t, Term y, bool upper, bool unit) {
  Builder& b = op.builder();
  const Term n = row_count(t), numbers = row_numbers(t);
  const Values ends = loop(b, n.value(), nullptr, {y.value()}, [&](Value* pass, const Values& state) -> Pass {
    const Term k = upper ? n - 1 - t.with(pass) : t.with(pass);
    const Term rest = t.with(state[0]);
    const Term along = column(t, k);
    Term found = row(rest, k);
    if (!unit) found = found / row(along, k);
    const Term open = upper ? numbers < k : numbers > k;
    const Term next = where(open, rest - along * found, rest);
    return {nullptr, {where(numbers == k, found, next).value()}};
  });
  return t.with(ends[0]);
}

Term cholesky_factor(Op& op, Term a) {
  Builder& b = op.builder();
  const Term numbers = row_numbers(a), columns = column_numbers(a);
  const Values ends = loop(b, row_count(a).value(), nullptr, {a.value(), (a * 0).value()},
                           [&](Value* pass, const Values& state) -> Pass {
                             const Term k = a.with(pass), rest = a.with(state[0]);
                             const Term along = column(rest, k);
                             const Term factor = where(numbers >= k, along / sqrt(row(along, k)), 0);
                             const Term result = where(columns == k, factor, a.with(state[1]));
                             return {nullptr, {(rest - factor * transposed(factor)).value(), result.value()}};
                           });
  return a.with(ends[1]);
}

namespace {

// Two stacks of matrices whose batch axes are broadcast, as LibTorch's solvers accept them.
struct Equation {
  Term a, y;
  Value* like;  // a tensor with the result's batch axes and two more
  bool vector;  // y is a batch of vectors
};

Value* with_batch(Op& op, Value* x, Value* batch) {
  Builder& b = op.builder();
  return op->expand(x, b.concat({batch, sizes_between(op, x, op.rank_of(x) - 2, op.rank_of(x))}, 0));
}

Equation equation(Op& op, Value* a, Value* y, bool vector) {
  Builder& b = op.builder();
  if (vector) y = b.unsqueeze(y, {op.rank_of(y)});
  const std::int64_t rank_a = op.rank_of(a), rank_y = op.rank_of(y);
  bool same = rank_a == rank_y;
  for (std::int64_t i = 0; same && i < rank_a - 2; ++i)
    same = (*a->facts().dims)[static_cast<std::size_t>(i)].same((*y->facts().dims)[static_cast<std::size_t>(i)]);
  if (!same && (rank_a > 2 || rank_y > 2)) {
    // Vectors of zeros with the batch axes only.
    const auto batch_axes = [&](Value* v) {
      Value* one = b.slice(b.slice(v, -1, 0, 1), -2, 0, 1);
      return b.squeeze(one, {op.rank_of(v) - 2, op.rank_of(v) - 1});
    };
    Value* batch = op->broadcast_shape({batch_axes(a), batch_axes(y)});
    a = with_batch(op, a, batch);
    y = with_batch(op, y, batch);
  }
  return {matrices(op, a), matrices(op, y), y, vector};
}

Value* solution(Op& op, const Equation& e, Term x) {
  Value* y = with_batch_of(op, e.like, x);
  return e.vector ? op->squeeze(y, {op.rank_of(y) - 1}) : y;
}

Outputs linalg_solve_triangular(Op& op) {
  const Equation e = equation(op, op.tensor("self"), op.tensor("B"), false);
  const bool left = op.flag("left"), upper = op.flag("upper"), unit = op.flag("unitriangular");
  if (left) return solution(op, e, solve_triangular(op, e.a, e.y, upper, unit));
  return solution(op, e, transposed(solve_triangular(op, transposed(e.a), transposed(e.y), !upper, unit)));
}

// aten::triangular_solve: the solution and the matrix
Outputs triangular_solve(Op& op) {
  const Equation e = equation(op, op.tensor("A"), op.tensor("self"), false);
  const bool turned = op.flag("transpose"), upper = op.flag("upper");
  const Term a = turned ? transposed(e.a) : e.a;
  Value* x = solution(op, e, solve_triangular(op, a, e.y, upper != turned, op.flag("unitriangular")));
  return {x, with_batch_of(op, e.like, e.a)};
}

Term factor_of(Op& op, Term a) {
  if (!op.flag("upper")) return cholesky_factor(op, a);
  return transposed(cholesky_factor(op, transposed(a)));
}

Outputs cholesky(Op& op) {
  Value* a = op.tensor("self");
  return with_batch_of(op, a, factor_of(op, matrices(op, a)));
}
Outputs cholesky_ex(Op& op) {
  Value* a = op.tensor("self");
  const Term factor = factor_of(op, matrices(op, a));
  const Term pivots = diagonal(factor);
  return {with_batch_of(op, a, factor), info_of(op, a, !(pivots > 0))};
}

// Solves L L^T x = y.
Term solve_by_cholesky(Op& op, Term factor, Term y, bool upper) {
  const Term lower = upper ? transposed(factor) : factor;
  return solve_triangular(op, transposed(lower), solve_triangular(op, lower, y, false, false), true, false);
}

Outputs cholesky_solve(Op& op) {
  const Equation e = equation(op, op.tensor("input2"), op.tensor("self"), false);
  return solution(op, e, solve_by_cholesky(op, e.a, e.y, op.flag("upper")));
}

Outputs cholesky_inverse(Op& op) {
  Value* given = op.tensor("self");
  const Term factor = matrices(op, given);
  const Term unit = identity_like(factor) + factor * 0;
  return with_batch_of(op, given, solve_by_cholesky(op, factor, unit, op.flag("upper")));
}

Outputs linalg_inv(Op& op) {
  Value* a = op.tensor(op.has("A") ? "A" : "self");
  return with_batch_of(op, a, inverse(op, matrices(op, a)));
}

Term singular(const LuFactors& f) { return diagonal(f.packed) == 0; }

Outputs linalg_inv_ex(Op& op) {
  Value* a = op.tensor("A");
  const LuFactors f = lu_factors(op, matrices(op, a));
  return {with_batch_of(op, a, solve_by_lu(op, f, identity_like(f.packed) + f.packed * 0)),
          info_of(op, a, singular(f))};
}

// B is a batch of vectors if it has one axis, or the batch axes of A and one more.
bool is_vector(Op& op, const Value* a, const Value* y) {
  const std::int64_t rank_a = op.rank_of(a), rank_y = op.rank_of(y);
  if (rank_y == 1) return true;
  if (rank_y != rank_a - 1) return false;
  for (std::int64_t i = 0; i < rank_y; ++i)
    if (!(*a->facts().dims)[static_cast<std::size_t>(i)].same((*y->facts().dims)[static_cast<std::size_t>(i)]))
      return false;
  return true;
}

Outputs linalg_solve(Op& op) {
  Value* a = op.tensor("A");
  Value* y = op.tensor("B");
  const Equation e = equation(op, a, y, is_vector(op, a, y));
  const bool left = op.flag("left") || e.vector;
  const LuFactors f = lu_factors(op, left ? e.a : transposed(e.a));
  const Term x = left ? solve_by_lu(op, f, e.y) : transposed(solve_by_lu(op, f, transposed(e.y)));
  Values results(op.node().output_count(), nullptr);
  results.front() = solution(op, e, x);
  if (results.size() > 1) results.back() = info_of(op, e.like, singular(f));
  return Outputs::many(results);
}

constexpr Row kTriangularRows[] = {
    {"aten::linalg_solve_triangular", 11, rounded<linalg_solve_triangular>},
    {"aten::triangular_solve", 11, rounded<triangular_solve>},
    {"aten::cholesky", 11, rounded<cholesky>},
    {"aten::linalg_cholesky", 11, rounded<cholesky>},
    {"aten::linalg_cholesky_ex", 11, rounded<cholesky_ex>},
    {"aten::cholesky_solve", 11, rounded<cholesky_solve>},
    {"aten::cholesky_inverse", 11, rounded<cholesky_inverse>},
    {"aten::linalg_inv", 11, rounded<linalg_inv>},
    {"aten::inverse", 11, rounded<linalg_inv>},
    {"aten::linalg_inv_ex", 11, rounded<linalg_inv_ex>},
    {"aten::linalg_solve", 11, rounded<linalg_solve>},
    {"aten::linalg_solve_ex", 11, rounded<linalg_solve>},
    {"aten::_linalg_solve_ex", 11, rounded<linalg_solve>},
};

}  // namespace

std::span<const Row> triangular_rows() { return kTriangularRows; }

}  // namespace tonnx::lower
