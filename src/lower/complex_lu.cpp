#include "lower/complex.h"
#include "lower/complex_matrix.h"
#include "lower/families.h"
#include "lower/loop.h"
#include "lower/lu.h"

// LU factorisation of complex matrices with partial pivoting, and solution of linear systems.
namespace tonnx::lower {
namespace {

struct Factors {
  Complex packed;
  Term order, swaps;  // as in the real case
};

// The pivot is the element with the largest |re| + |im|, as in LAPACK.
Factors factors(Op& op, const Complex& a, bool pivot) {
  Builder& b = op.builder();
  const Term rows = row_numbers(a.re), columns = column_numbers(a.re);
  const Term steps = min(row_count(a.re), column_count(a.re));
  const RowOrder start = in_order(op, a.re, steps);
  const Values ends =
      loop(b, steps.value(), nullptr, {a.re.value(), a.im.value(), start.order.value(), start.swaps.value()},
           [&](Value* pass, const Values& state) -> Pass {
             const Term k = a.re.with(pass);
             Complex rest{k.with(state[0]), k.with(state[1])};
             RowOrder at{k.with(state[2]), k.with(state[3])};
             if (pivot) {
               const Term places = exchange(at, k, abs(column(rest.re, k)) + abs(column(rest.im, k)));
               rest = each(rest, [&](Term part) { return rows_at(op, part, places); });
             }
             const Complex top = each(rest, [&](Term part) { return row(part, k); });
             const Complex along = each(rest, [&](Term part) { return column(part, k); });
             const Complex given = each(along, [&](Term part) { return row(part, k); });
             const Complex divisor{where(is_nonzero(given), given.re, 1), given.im};
             const Complex factor = each(along / divisor, [&](Term part) { return where(rows > k, part, 0); });
             const Complex next = chosen(columns > k, rest - factor * top, rest);
             const Complex packed = chosen(rows > k && columns == k, factor, next);
             return {nullptr, {packed.re.value(), packed.im.value(), at.order.value(), at.swaps.value()}};
           });
  return {{a.re.with(ends[0]), a.re.with(ends[1])}, a.re.with(ends[2]), a.re.with(ends[3])};
}

Lowered real_result(Value* y) { return {Lowered::Kind::One, y, {}}; }

// aten::linalg_lu_factor: LU, pivots and, for the _ex form, info
Outputs lu_factor(Op& op) {
  Value* like = op.parts_of(given(op)).real;
  const Factors f = factors(op, matrices_of(op, given(op)), op.flag("pivot"));
  std::vector<Lowered> results{complex_result(op, like, f.packed),
                               real_result(with_batch_of(op, like, counted_swaps(f.swaps), 1))};
  if (op.node().output_count() == 3) {
    const Complex pivots = each(f.packed, diagonal);
    results.push_back(real_result(info_of(op, like, !is_nonzero(pivots))));
  }
  return Outputs(std::move(results));
}

struct LowerAndUpperParts {
  Complex lower, upper;
};

LowerAndUpperParts unpacked(const Complex& packed) {
  const LowerAndUpper re = unpacked(packed.re), im = unpacked(packed.im);
  const Term ones = identity_of(im.lower, row_count(im.lower), column_count(im.lower));
  return {{re.lower, im.lower - ones}, {re.upper, im.upper}};
}

Outputs unpacked_results(Op& op, Value* like, Term order, const Complex& packed, bool pivots, bool data) {
  Value* nothing = op->constant(ir::Tensor::from_bytes(Op::dtype_of(like), {0}, nullptr, 0));
  const Lowered none{Lowered::Kind::Complex, nothing, {}, nothing};
  const Term p = permutation(order);
  const LowerAndUpperParts u = unpacked(packed);
  return Outputs(std::vector<Lowered>{pivots ? complex_result(op, like, {p, p * 0}) : none,
                                      data ? complex_result(op, like, u.lower) : none,
                                      data ? complex_result(op, like, u.upper) : none});
}

// linalg_lu: P, L and U
Outputs linalg_lu(Op& op) {
  const Factors f = factors(op, matrices_of(op, given(op)), op.flag("pivot"));
  return unpacked_results(op, op.parts_of(given(op)).real, f.order, f.packed, op.flag("pivot"), true);
}

Outputs lu_unpack(Op& op) {
  const Complex packed = matrices_of(op, given(op));
  const Term order = order_of(op, pivots_of(op, "LU_pivots"), row_count(packed.re));
  return unpacked_results(op, op.parts_of(given(op)).real, order, packed, op.flag("unpack_pivots"),
                          op.flag("unpack_data"));
}

Complex transposed_parts(const Complex& x) {
  return each(x, [](Term part) { return transposed(part); });
}

// Solves a x = y, where the factors are of a; optionally with the adjoint of a, or x a = y.
Outputs lu_solve_of(Op& op, std::string_view lu, std::string_view pivots, std::string_view right, bool left,
                    bool adjoint) {
  Builder& b = op.builder();
  Value* like = op.parts_of(op.source(right)).real;
  const Complex packed = matrices_of(op, op.source(lu));
  if (op.rank_of(op.parts_of(op.source(lu)).real) != op.rank_of(like))
    op.refuse_argument(right, "must have as many batch axes as the factors");
  const LowerAndUpperParts u = unpacked(packed);
  const auto times = [&](Term x, Term y) { return x.with(b.matmul(x.value(), y.value())); };
  const Term swapped = permutation(order_of(op, pivots_of(op, pivots), row_count(packed.re)));
  Complex a{times(swapped, times(u.lower.re, u.upper.re) - times(u.lower.im, u.upper.im)),
            times(swapped, times(u.lower.re, u.upper.im) + times(u.lower.im, u.upper.re))};
  const Value* sized = packed.re.value();
  a = each(a, [&](Term part) {
    return part.with(reshape_known(op, part.value(), sized->facts().dims, [&] { return b.shape(packed.re.value()); }));
  });
  Complex y = matrices_of(op, op.source(right));
  if (adjoint) a = {transposed(a.re), -transposed(a.im)};
  if (!left) a = transposed_parts(a), y = transposed_parts(y);
  const auto real = [&](const Complex& x) { return Term{b, standing_for(op, {x.re.value(), x.im.value()})}; };
  const Parts parts = read_back(op, solve(op, real(a), real(y)).value());
  const Complex x{a.re.with(parts.real), a.re.with(parts.imaginary)};
  return Outputs(std::vector<Lowered>{complex_result(op, like, left ? x : transposed_parts(x))});
}

Outputs linalg_lu_solve(Op& op) { return lu_solve_of(op, "LU", "pivots", "B", op.flag("left"), op.flag("adjoint")); }
Outputs lu_solve(Op& op) { return lu_solve_of(op, "LU_data", "LU_pivots", "self", true, false); }

constexpr Row kComplexLuRows[] = {
    {"aten::linalg_lu_factor", 11, rounded<lu_factor>}, {"aten::linalg_lu_factor_ex", 11, rounded<lu_factor>},
    {"aten::_lu_with_info", 11, rounded<lu_factor>},    {"aten::linalg_lu", 11, rounded<linalg_lu>},
    {"aten::lu_unpack", 11, rounded<lu_unpack>},        {"aten::linalg_lu_solve", 11, rounded<linalg_lu_solve>},
    {"aten::lu_solve", 11, rounded<lu_solve>},
};

}  // namespace

std::span<const Row> complex_lu_rows() { return kComplexLuRows; }

}  // namespace tonnx::lower
