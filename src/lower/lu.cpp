#include "lower/lu.h"

#include "lower/families.h"
#include "lower/loop.h"

// LU factorisation with partial pivoting; determinants and solutions computed from it.
namespace tonnx::lower {

RowOrder in_order(Op& op, Term a, Term steps) {
  Builder& b = op.builder();
  Value* batch = b.slice(b.shape(a.value()), 0, 0, 1);
  const auto numbers = [&](Term count) {
    return a.with(op->expand(b.range(count.value()), b.concat({batch, b.reshape(count.value(), {1})}, 0)));
  };
  return {numbers(row_count(a)), numbers(steps)};
}

Term exchange(RowOrder& rows, Term k, Term size) {
  Builder& b = k.builder();
  const Term numbers = k.with(b.range(b.size_scalar(rows.order.value(), 1)));
  const Term open = where(unsqueezed(numbers, 1) >= k, size, -1);
  const Term best = squeezed(
      size.with(b.op("ArgMax", {open.value()}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{1}}})), 2);
  const Term places = where(numbers == k, best, where(numbers == best, k, numbers));
  rows.order = k.with(b.gather_elements(rows.order.value(), places.value(), 1));
  rows.swaps = where(k.with(b.range(b.size_scalar(rows.swaps.value(), 1))) == k, best, rows.swaps);
  return places;
}

LuFactors lu_factors(Op& op, Term a, bool pivot) {
  Builder& b = op.builder();
  const Term rows = row_numbers(a), columns = column_numbers(a);
  const Term steps = min(row_count(a), column_count(a));
  const RowOrder start = in_order(op, a, steps);
  const Values ends = loop(
      b, steps.value(), nullptr, {a.value(), start.order.value(), start.swaps.value()},
      [&](Value* pass, const Values& state) -> Pass {
        const Term k = a.with(pass);
        Term rest = a.with(state[0]);
        RowOrder at{a.with(state[1]), a.with(state[2])};
        if (pivot) rest = rows_at(op, rest, exchange(at, k, abs(column(rest, k))));
        const Term top = row(rest, k), along = column(rest, k);
        const Term divisor = row(along, k);
        const Term factor = where(rows > k, along / where(divisor == 0, 1, divisor), 0);
        const Term next = where(columns > k, rest - factor * top, rest);
        return {nullptr, {where(rows > k && columns == k, factor, next).value(), at.order.value(), at.swaps.value()}};
      });
  return {a.with(ends[0]), a.with(ends[1]), a.with(ends[2])};
}

Term solve_by_lu(Op& op, const LuFactors& f, Term y) {
  const Term forward = solve_triangular(op, f.packed, rows_at(op, y, f.order), false, true);
  return solve_triangular(op, f.packed, forward, true, false);
}

Term solve(Op& op, Term a, Term y) { return solve_by_lu(op, lu_factors(op, a), y); }
Term inverse(Op& op, Term a) { return solve(op, a, identity_like(a) + a * 0); }

LowerAndUpper unpacked(Term packed) {
  const Term least = min(row_count(packed), column_count(packed));
  const Term lower = first_columns(lower_triangle(packed, false), least);
  return {lower + identity_of(lower, row_count(lower), least), first_rows(upper_triangle(packed), least)};
}

Term permutation(Term order) {
  Builder& b = order.builder();
  const Term numbers = unsqueezed(order.with(b.range(b.size_scalar(order.value(), 1))), 1);
  return (numbers == unsqueezed(order, 1)).cast(DType::Float64);
}

Term counted_swaps(Term swaps) { return (swaps + 1).cast(DType::Int32); }

Term pivots_of(Op& op, std::string_view name) {
  Value* pivots = op->cast(op.tensor(name), DType::Int64);
  const std::int64_t rank = op.rank_of(pivots);
  return {op.builder(), rank == 1 ? op->unsqueeze(pivots, {0}) : merge_axes(op, pivots, 0, rank - 1)};
}

Term order_of(Op& op, Term pivots, Term count) {
  Builder& b = op.builder();
  const Term numbers{b, b.range(count.value())};
  Value* shape = b.concat({b.slice(b.shape(pivots.value()), 0, 0, 1), b.reshape(count.value(), {1})}, 0);
  const Values ends = loop(b, b.size_scalar(pivots.value(), 1), nullptr, {op->expand(numbers.value(), shape)},
                           [&](Value* pass, const Values& state) -> Pass {
                             const Term k = numbers.with(pass);
                             const Term other = numbers.with(b.take(pivots.value(), b.reshape(pass, {1}), 1)) - 1;
                             const Term places = where(numbers == k, other, where(numbers == other, k, numbers));
                             return {nullptr, {b.gather_elements(state[0], places.value(), 1)}};
                           });
  return numbers.with(ends[0]);
}

namespace {

Value* argument(Op& op) { return op.value_of(op.node().input(0)); }

struct Determinant {
  Term sign;  // (batch)
  Term size;  // the logarithm of its magnitude
  Term value;
};

Determinant determinant(Op& op, Term a) {
  Builder& b = op.builder();
  const LuFactors f = lu_factors(op, a);
  const Term pivots = diagonal(f.packed);
  const Term numbers = a.with(b.range(b.size_scalar(f.swaps.value(), 1)));
  const auto product = [&](Term v) { return v.with(b.reduce("ReduceProd", v.value(), Dims{1}, false)); };
  const Term parity = product(where(f.swaps != numbers, a.number(-1), a.number(1)));
  const Term signs = product(a.with(sign(b, pivots.value())));
  const Term sizes = log(abs(pivots));
  return {signs * parity, a.with(b.reduce("ReduceSum", sizes.value(), Dims{1}, false)), product(pivots) * parity};
}

Outputs det(Op& op) {
  Value* a = argument(op);
  Values results(op.node().output_count(), nullptr);
  results[0] = with_batch_of(op, a, determinant(op, matrices(op, a)).value, 0);
  return Outputs::many(results);
}
Outputs slogdet(Op& op) {
  Value* a = argument(op);
  const Determinant d = determinant(op, matrices(op, a));
  Values results(op.node().output_count(), nullptr);
  results[0] = with_batch_of(op, a, d.sign, 0);
  results[1] = with_batch_of(op, a, d.size, 0);
  return Outputs::many(results);
}
Outputs logdet(Op& op) {
  Value* a = argument(op);
  const Determinant d = determinant(op, matrices(op, a));
  return with_batch_of(op, a, where(d.sign < 0, log(d.sign), d.size), 0);
}

// aten::linalg_lu_factor: LU, pivots and, for the _ex form, info
Outputs lu_factor(Op& op) {
  Value* a = argument(op);
  const LuFactors f = lu_factors(op, matrices(op, a), op.flag("pivot"));
  Values results{with_batch_of(op, a, f.packed), with_batch_of(op, a, counted_swaps(f.swaps), 1)};
  if (op.node().output_count() == 3) results.push_back(info_of(op, a, diagonal(f.packed) == 0));
  return Outputs::many(results);
}

// aten::linalg_lu: P, L and U
Outputs linalg_lu(Op& op) {
  Value* a = argument(op);
  const bool pivot = op.flag("pivot");
  const LuFactors f = lu_factors(op, matrices(op, a), pivot);
  const LowerAndUpper u = unpacked(f.packed);
  Value* p = pivot ? with_batch_of(op, a, permutation(f.order))
                   : op->constant(ir::Tensor::from_bytes(DType::Float64, {0}, nullptr, 0));
  return {p, with_batch_of(op, a, u.lower), with_batch_of(op, a, u.upper)};
}

Outputs lu_unpack(Op& op) {
  Value* a = argument(op);
  const Term packed = matrices(op, a);
  const LowerAndUpper u = unpacked(packed);
  const Term order = order_of(op, pivots_of(op, "LU_pivots"), row_count(packed));
  Value* none = op->constant(ir::Tensor::from_bytes(op.dtype_of(a), {0}, nullptr, 0));
  const bool data = op.flag("unpack_data");
  return {op.flag("unpack_pivots") ? with_batch_of(op, a, permutation(order)) : none,
          data ? with_batch_of(op, a, u.lower) : none, data ? with_batch_of(op, a, u.upper) : none};
}

// Solves A x = y, or A^T x = y, from the factors of A.
Term solved(Op& op, const LuFactors& f, Term y, bool adjoint) {
  if (!adjoint) return solve_by_lu(op, f, y);
  const Term turned = transposed(f.packed);
  const Term x = solve_triangular(op, turned, solve_triangular(op, turned, y, false, false), true, true);
  return matmul(permutation(f.order), x);
}

Outputs lu_solve_of(Op& op, std::string_view lu, std::string_view pivots, std::string_view right, bool left,
                    bool adjoint) {
  Value* packed = op.tensor(lu);
  Value* y = op.tensor(right);
  if (op.rank_of(packed) != op.rank_of(y)) op.refuse_argument(right, "must have as many batch axes as the factors");
  const Term a = matrices(op, packed);
  const LuFactors f{a, order_of(op, pivots_of(op, pivots), row_count(a)), a};
  const Term given = matrices(op, y);
  const Term x = left ? solved(op, f, given, adjoint) : transposed(solved(op, f, transposed(given), !adjoint));
  return with_batch_of(op, packed, x);
}

Outputs linalg_lu_solve(Op& op) { return lu_solve_of(op, "LU", "pivots", "B", op.flag("left"), op.flag("adjoint")); }
Outputs lu_solve(Op& op) { return lu_solve_of(op, "LU_data", "LU_pivots", "self", true, false); }

constexpr Row kLuRows[] = {
    {"aten::linalg_det", 11, rounded<det>},
    {"aten::det", 11, rounded<det>},
    {"aten::_linalg_det", 11, rounded<det>},
    {"aten::linalg_slogdet", 11, rounded<slogdet>},
    {"aten::slogdet", 11, rounded<slogdet>},
    {"aten::_linalg_slogdet", 11, rounded<slogdet>},
    {"aten::logdet", 11, rounded<logdet>},
    {"aten::linalg_lu_factor", 11, rounded<lu_factor>},
    {"aten::linalg_lu_factor_ex", 11, rounded<lu_factor>},
    {"aten::_lu_with_info", 11, rounded<lu_factor>},
    {"aten::linalg_lu", 11, rounded<linalg_lu>},
    {"aten::lu_unpack", 11, rounded<lu_unpack>},
    {"aten::linalg_lu_solve", 11, rounded<linalg_lu_solve>},
    {"aten::lu_solve", 11, rounded<lu_solve>},
};

}  // namespace

std::span<const Row> lu_rows() { return kLuRows; }

}  // namespace tonnx::lower
