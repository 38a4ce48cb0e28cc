
#include "lower/complex_matrix.h"
#include "lower/families.h"
#include "lower/jacobi_steps.h"
#include "lower/loop.h"

// Eigenvalues, singular values and their vectors of complex matrices by Jacobi rotations. A phase factor first makes
// the element of a column pair real; then the pair is rotated as in the real case.
namespace tonnx::lower {
namespace {

using namespace jacobi;

Complex first_columns(const Complex& a, Term count) {
  return each(a, [&](Term x) { return front(x, 2, count); });
}
Complex last_columns(const Complex& a, Term first) {
  return each(a, [&](Term x) { return back(x, 2, first); });
}
Term total(const Complex& x) { return jacobi::total(x.re) + jacobi::total(x.im); }

// The change of columns i and i + half in one step, (batch, 1, half).
struct Step {
  Complex phase;  // phase factor of column i + half
  Rotation rotated;
};

Step step_of(Term x, Term y, const Complex& element) {
  const Term size = sqrt(squares(element)), idle = size == 0, safe = where(idle, 1, size);
  return {{where(idle, 1, element.re / safe), -element.im / safe}, rotation(x, y, size)};
}

Complex stepped(const Complex& a, const Step& step, const Columns& columns) {
  const Complex x = first_columns(a, columns.half), y = last_columns(a, columns.half) * step.phase;
  const Term c = step.rotated.c, s = step.rotated.s;
  return {moved(joined(c * x.re - s * y.re, s * x.re + c * y.re, 2), columns.places, 2),
          moved(joined(c * x.im - s * y.im, s * x.im + c * y.im, 2), columns.places, 2)};
}

Complex units(const Complex& a, Term n) {
  const Term ones = batch_of_identities(a.re, n);
  return {ones, ones * 0};
}

Complex columns_at(Op& op, const Complex& a, Term order) {
  return each(a, [&](Term x) { return jacobi::columns_at(op, x, order); });
}

struct Eigen {
  Term values;
  Complex vectors;
};

// The decomposition of a Hermitian matrix with both triangles filled; values in ascending order.
Eigen eigen_of(Op& op, const Complex& given) {
  const auto n = known_size(given.re, 1);
  if (n == 0) return {squeezed(sum_along(given.re, 1), 1), given};
  if (n == 1) return {squeezed(given.re, 1), {given.re * 0 + 1, given.im * 0}};
  const Columns columns = columns_of(given.re);
  const Complex a = each(given, [&](Term x) { return padded(padded(x, 2, columns), 1, columns); }),
                v = units(a, columns.size);
  const Term whole = total(a);
  const auto state_of = [](const Complex& x, const Complex& y) {
    return Values{x.re.value(), x.im.value(), y.re.value(), y.im.value()};
  };
  const Values ends =
      loop(op.builder(), columns.steps.value(), nullptr, state_of(a, v), [&](Value*, const Values& state) -> Pass {
        const auto at = [&](std::size_t i) { return Complex{whole.with(state[i]), whole.with(state[i + 1])}; };
        const Complex m = at(0);
        const Term values = unsqueezed(diagonal(m.re), 1);
        const Complex between =
            each(m, [&](Term x) { return unsqueezed(diagonal(back(front(x, 1, columns.half), 2, columns.half)), 1); });
        const Step step = step_of(front(values, 2, columns.half), back(values, 2, columns.half), between);
        const Complex next = stepped(adjoint(stepped(m, step, columns)), step, columns);
        const Term on = row_numbers(next.re) == column_numbers(next.re);
        const Complex rest = each(next, [&](Term x) { return where(on, 0, x); });
        return {open(total(rest), whole), state_of(next, stepped(at(2), step, columns))};
      });
  const Complex vectors{whole.with(ends[2]), whole.with(ends[3])};
  const Term values = without_added(diagonal(whole.with(ends[0])), vectors.re, columns, kInfinity);
  const Sorted s = sorted(op, values, columns.count, false);
  return {s.keys, each(columns_at(op, vectors, s.order), [&](Term x) { return front(x, 1, columns.count); })};
}

struct Svd {
  Complex u;
  Term values;
  Complex v;
};

// The decomposition of a matrix with no more columns than rows.
Svd svd_of_tall(Op& op, const Complex& given, bool full) {
  Builder& b = op.builder();
  if (known_size(given.re, 2) == 0) {
    const Term none = given.re.with(b.int64(0));
    const Complex u = units(given, row_count(given.re));
    return {full ? u : first_columns(u, none), squeezed(sum_along(given.re, 1), 1),
            each(given, [&](Term x) { return transposed(front(x, 1, none)); })};
  }
  const Columns columns = columns_of(given.re);
  const Complex a = each(given, [&](Term x) { return padded(x, 2, columns); }), v = units(a, columns.size);
  const Term rounds = columns.size - 1;
  const auto state_of = [](const Complex& x, const Complex& y, Term seen) {
    return Values{x.re.value(), x.im.value(), y.re.value(), y.im.value(), seen.value()};
  };
  const Values ends =
      loop(b, columns.steps.value(), nullptr, state_of(a, v, total(a)), [&](Value* pass, const Values& state) -> Pass {
        const auto at = [&](std::size_t i) { return Complex{a.re.with(state[i]), a.re.with(state[i + 1])}; };
        const Complex x = at(0), left = first_columns(x, columns.half), right = last_columns(x, columns.half);
        const Term p = sum_along(squares(left), 1), q = sum_along(squares(right), 1);
        const Complex between = each(conj(left) * right, [](Term y) { return sum_along(y, 1); });
        const Step step = step_of(p, q, between);
        // The largest cosine between the columns of a pair in one round.
        const Term cosine = squares(between) / where(p * q == 0, 1, p * q);
        const Term worst = a.re.with(b.reduce("ReduceMax", cosine.value(), Dims{2}, true));
        const Term number = a.re.with(pass), round = number - number / rounds * rounds;
        const Term seen = where(round == 0, worst, max(worst, a.re.with(state[4])));
        const Term none = a.re.with(open(seen, seen * 0 + 1));
        return {(round != rounds - 1 || none).value(),
                state_of(stepped(x, step, columns), stepped(at(2), step, columns), seen)};
      });
  const Complex turned{a.re.with(ends[0]), a.re.with(ends[1])}, vectors{a.re.with(ends[2]), a.re.with(ends[3])};
  const Term values = without_added(squeezed(sqrt(sum_along(squares(turned), 1)), 1), vectors.re, columns, -1);
  const Sorted s = sorted(op, values, columns.count, true);
  // Q of the sorted columns defines U even for zero singular values, and the extra columns of a full U.
  const ComplexQr f = complex_qr(columns_at(op, turned, s.order), full);
  const std::optional<Term> rows = full ? std::optional(row_count(given.re)) : std::nullopt;
  return {f.q * signs_of(f.r.re, rows), s.keys,
          each(columns_at(op, vectors, s.order), [&](Term x) { return front(x, 1, columns.count); })};
}

Complex picked(Term condition, const Complex& x, const Complex& y) {
  return {jacobi::picked(condition, x.re, y.re), jacobi::picked(condition, x.im, y.im)};
}

Svd svd_of(Op& op, const Complex& a, bool full) {
  const auto known = is_known_tall(a.re);
  if (known == true) return svd_of_tall(op, a, full);
  if (known == false) {
    const Svd turned = svd_of_tall(op, adjoint(a), full);
    return {turned.v, turned.values, turned.u};
  }
  const Term tall = row_count(a.re) >= column_count(a.re);
  const Svd s = svd_of_tall(op, picked(tall, a, adjoint(a)), full);
  return {picked(tall, s.u, s.v), s.values, picked(tall, s.v, s.u)};
}

Value* real_of(Op& op) { return op.parts_of(given(op)).real; }
Lowered values_result(Op& op, Term values) {
  return {Lowered::Kind::One, with_batch_of(op, real_of(op), values, 1), {}};
}

// LAPACK does not read the other triangle, nor imaginary parts on the diagonal.
Complex hermitian(const Complex& a, bool upper) {
  const Term rows = row_numbers(a.re), places = column_numbers(a.re);
  const Complex whole = chosen(upper ? rows <= places : rows >= places, a, adjoint(a));
  return {whole.re, where(rows == places, 0, whole.im)};
}

Outputs linalg_eigh(Op& op) {
  const std::string triangle = op.text("UPLO");
  const Eigen e = eigen_of(op, hermitian(matrices_of(op, given(op)), triangle == "U" || triangle == "u"));
  return Outputs(std::vector<Lowered>{values_result(op, e.values), complex_result(op, real_of(op), e.vectors)});
}

Outputs svd_results(Op& op, bool full, bool turned) {
  const Svd s = svd_of(op, matrices_of(op, given(op)), full);
  if (op.has("compute_uv") && !op.flag("compute_uv"))
    return {nullptr, with_batch_of(op, real_of(op), s.values, 1), nullptr};
  return Outputs(std::vector<Lowered>{complex_result(op, real_of(op), s.u), values_result(op, s.values),
                                      complex_result(op, real_of(op), turned ? adjoint(s.v) : s.v)});
}

// Returns U, the singular values, and V^H (V for aten::svd).
Outputs linalg_svd(Op& op) { return svd_results(op, op.flag("full_matrices"), true); }
Outputs svd(Op& op) {
  if (!op.flag("compute_uv")) op.refuse_argument("compute_uv", "is False: use linalg.svdvals");
  return svd_results(op, !op.flag("some"), false);
}

constexpr Row kComplexJacobiRows[] = {
    {"aten::linalg_eigh", 11, rounded<linalg_eigh>},
    {"aten::_linalg_eigh", 11, rounded<linalg_eigh>},
    {"aten::linalg_svd", 11, rounded<linalg_svd>},
    {"aten::_linalg_svd", 11, rounded<linalg_svd>},
    {"aten::svd", 11, rounded<svd>},
};

}  // namespace

std::span<const Row> complex_jacobi_rows() { return kComplexJacobiRows; }

}  // namespace tonnx::lower
