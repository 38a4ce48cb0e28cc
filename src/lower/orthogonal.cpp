#include "lower/families.h"
#include "lower/formula.h"
#include "lower/loop.h"

// Orthogonal polynomials with a degree for each element, by their recurrences in float64.
namespace tonnx::lower {
namespace {

// p(0) = 1, p(1) = first(x), p(k + 1) = next(x, k, p(k), p(k - 1))
using First = Term (*)(Term x);
using Next = Term (*)(Term x, Term k, Term here, Term before);

// A fractional degree is truncated. For a negative degree, and one that does not fit in 64 bits, the polynomial is 0.
template <First kFirst, Next kNext, bool kShifted = false>
Outputs polynomials(Op& op) {
  Builder& b = op.builder();
  const DType dtype = compute_dtype(op, {0, 1});
  Value* given_x = b.cast(operand(op, 0, dtype), DType::Float64);
  Value* given_n = b.cast(operand(op, 1, dtype), DType::Float64);
  Value* shape = op->broadcast_shape({given_x, given_n});
  Term x{b, op->expand(given_x, shape)};
  if (kShifted) x = x * 2 - 1;
  const Term whole{b, op->expand(truncate(b, given_n), shape)};
  const Term degree = where(abs(whole) < 0x1p63, whole, -1);
  const Term one = degree * 0 + 1, zero = degree * 0, start = kFirst(x) * one;
  const Term found = where(degree == 0, one, where(degree == 1, start, zero));
  Value* least = b.constant_of_shape(b.int64s({1}), DType::Float64, 1);
  const Term top =
      degree.with(b.reduce("ReduceMax", b.concat({b.flatten_to_vector(degree.value()), least}, 0), {}, false));
  const Values ends = loop(b, (top - 1).cast(DType::Int64).value(), nullptr,
                           {one.value(), start.value(), found.value()}, [&](Value* pass, const Values& state) -> Pass {
                             const Term k = x.with(pass).cast(DType::Float64) + 1;
                             const Term next = kNext(x, k, x.with(state[1]), x.with(state[0]));
                             const Term result = where(degree == k + 1, next, x.with(state[2]));
                             return {nullptr, {state[1], next.value(), result.value()}};
                           });
  return ends[2];
}

Term same(Term x) { return x; }
Term twice(Term x) { return x * 2; }
Term twice_less_one(Term x) { return x * 2 - 1; }
Term twice_and_one(Term x) { return x * 2 + 1; }
Term one_less(Term x) { return 1 - x; }
Term of_chebyshev(Term x, Term, Term here, Term before) { return x * 2 * here - before; }
Term of_hermite(Term x, Term k, Term here, Term before) { return (x * here - k * before) * 2; }
Term of_hermite_e(Term x, Term k, Term here, Term before) { return x * here - k * before; }
Term of_laguerre(Term x, Term k, Term here, Term before) { return ((k * 2 + 1 - x) * here - k * before) / (k + 1); }
Term of_legendre(Term x, Term k, Term here, Term before) { return ((k * 2 + 1) * x * here - k * before) / (k + 1); }

constexpr Row kOrthogonalRows[] = {
    {"aten::special_chebyshev_polynomial_t", 9, rounded<polynomials<same, of_chebyshev>>},
    {"aten::special_chebyshev_polynomial_u", 9, rounded<polynomials<twice, of_chebyshev>>},
    {"aten::special_chebyshev_polynomial_v", 9, rounded<polynomials<twice_less_one, of_chebyshev>>},
    {"aten::special_chebyshev_polynomial_w", 9, rounded<polynomials<twice_and_one, of_chebyshev>>},
    {"aten::special_shifted_chebyshev_polynomial_t", 9, rounded<polynomials<same, of_chebyshev, true>>},
    {"aten::special_shifted_chebyshev_polynomial_u", 9, rounded<polynomials<twice, of_chebyshev, true>>},
    {"aten::special_shifted_chebyshev_polynomial_v", 9, rounded<polynomials<twice_less_one, of_chebyshev, true>>},
    {"aten::special_shifted_chebyshev_polynomial_w", 9, rounded<polynomials<twice_and_one, of_chebyshev, true>>},
    {"aten::special_hermite_polynomial_h", 9, rounded<polynomials<twice, of_hermite>>},
    {"aten::special_hermite_polynomial_he", 9, rounded<polynomials<same, of_hermite_e>>},
    {"aten::special_laguerre_polynomial_l", 9, rounded<polynomials<one_less, of_laguerre>>},
    {"aten::special_legendre_polynomial_p", 9, rounded<polynomials<same, of_legendre>>},
};

}  // namespace

std::span<const Row> orthogonal_rows() { return kOrthogonalRows; }

}  // namespace tonnx::lower
