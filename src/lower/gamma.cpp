#include <cmath>
#include <limits>
#include <numbers>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/loop.h"
#include "lower/special.h"

// The log gamma function, its derivatives, the incomplete gamma functions and the Hurwitz zeta function. In float64 to
// about 1e-13. Near negative zeros of a function, and for the derivatives, the error is absolute.
namespace tonnx::lower {
namespace {

Term fraction_from_nearest(Term x) { return x - x.with(round_half_even(x.builder(), x.value())); }

// For 0.5 <= x <= 2.5, precise near the zeros at 1 and 2. With u = x - 2 (x - 1 below 1.5): the Maclaurin series of
// log(gamma(2 + u)) / u; subtracting log(1 + u) leads from gamma(2 + u) to gamma(1 + u).
Term lgamma_near_zeros(Term x) {
  constexpr double kSeries[] = {
      0.42278433509846713,     0.3224670334241132,     -0.0673523010531981,     0.020580808427784546,
      -0.007385551028673986,   0.0028905103307415234,  -0.001192753911703261,   0.0005096695247430425,
      -0.00022315475845357939, 9.945751278180853e-05,  -4.492623673813314e-05,  2.050721277567069e-05,
      -9.439488275268397e-06,  4.374866789907488e-06,  -2.039215753801366e-06,  9.55141213040742e-07,
      -4.492469198764566e-07,  2.1207184805554665e-07, -1.0043224823968099e-07, 4.7698101693639804e-08,
      -2.2711094608943164e-08, 1.0838659214896955e-08, -5.183475041970047e-09,  2.4836745438024785e-09,
      -1.1921401405860912e-09,
  };
  const Term below = x < 1.5;
  const Term u = x - where(below, x.number(1), 2);
  const Term of_two = u * polynomial(u, kSeries);
  return where(below, of_two - x.with(log1p(x.builder(), u.value())), of_two);
}

// Lanczos' approximation with g = 7, for x >= 0.5.
Term lgamma_of_positive(Term x) {
  constexpr double kLanczos[] = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                                 -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                                 9.9843695780195716e-6, 1.5056327351493116e-7};
  Term sum = x.number(0.99999999999980993);
  for (std::size_t i = 0; i < std::size(kLanczos); ++i) sum = sum + kLanczos[i] / (x + static_cast<double>(i));
  const Term t = x + 6.5;
  const Term far = (x - 0.5) * log(t) - t + (log(sum) + 0.5 * std::log(2 * std::numbers::pi));
  return where(x < 2.5, lgamma_near_zeros(min(x, 2.5)), far);
}

Term lgamma(Term x) {
  const Term mirrored = x < 0.5;
  const Term y = lgamma_of_positive(where(mirrored, 1 - x, x));
  const Term sine = abs(sin(fraction_from_nearest(x) * std::numbers::pi));
  const Term value = where(mirrored, std::log(std::numbers::pi) - log(sine) - y, y);
  return where(abs(x) == kInfinity, kInfinity, value);
}

// Eight steps of the recurrence, then the asymptotic series.
Term digamma_of_positive(Term x) {
  Term steps = 1 / x;
  for (int k = 1; k < 8; ++k) steps = steps + 1 / (x + k);
  const Term y = x + 8;
  const Term square = 1 / (y * y);
  constexpr double kSeries[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
  return log(y) - 0.5 / y - square * polynomial(square, kSeries) - steps;
}

Term digamma(Term x) {
  const Term mirrored = x < 0.5;
  const Term y = digamma_of_positive(where(mirrored, 1 - x, x));
  const Term angle = fraction_from_nearest(x) * std::numbers::pi;
  const Term value = where(mirrored, y - std::numbers::pi * cos(angle) / sin(angle), y);
  const Term pole = x < 0 && floor(x) == x;
  return where(pole, kNan, where(x == 0, -1 / x, where(x == kInfinity, x, value)));
}

// The sum over k of (q + k)^-x by the Euler-Maclaurin formula, after ten explicit terms and for q above 9.
Term zeta(Op& op, Term x, Term q) {
  Builder& b = op.builder();
  Value* shape = op->broadcast_shape({x.value(), q.value()});
  const auto power = [&](Term base, Term exponent) { return base.with(b.op("Pow", {base.value(), exponent.value()})); };
  const Term pole = q <= 0 && floor(q) == q;
  const Term start = x.with(op->expand(where(pole, 10, q).value(), shape));
  const auto any = [&](Term active) {
    Value* count = b.reduce("ReduceSum", active.cast(DType::Float32).value(), {}, false);
    return (x.with(count) > 0).value();
  };
  Value* zeros = b.mul(start.value(), b.scalar(DType::Float64, 0.0));
  const Values ends = loop(b, nullptr, nullptr, {start.value(), zeros}, [&](Value* pass, const Values& state) -> Pass {
    const Term place = x.with(state[0]), sum = x.with(state[1]);
    const Term active = place <= 9 || x.with(pass) < 10;
    const Term next = where(active, place + 1, place);
    const Term more = where(active, sum + power(place, -x), sum);
    return {any(next <= 9 || x.with(pass) < 9), {next.value(), more.value()}};
  });
  const Term w = x.with(ends[0]), sum = x.with(ends[1]);
  // (2 k)! / B(2 k)
  constexpr double kDivisors[] = {12.0,
                                  -720.0,
                                  30240.0,
                                  -1209600.0,
                                  47900160.0,
                                  -1.8924375803183791606e9,
                                  7.47242496e10,
                                  -2.950130727918164224e12,
                                  1.1646782814350067249e14,
                                  -4.5979787224074726105e15,
                                  1.8152105401943546773e17,
                                  -7.1661652561756670113e18};
  const Term last = power(w, -x);
  Term factor = x * last / w;
  Term tail = last * w / (x - 1) + last * 0.5;
  for (std::size_t k = 0; k < std::size(kDivisors); ++k) {
    tail = tail + factor / kDivisors[k];
    const auto n = static_cast<double>(2 * k + 1);
    factor = factor * (x + n) * (x + (n + 1)) / (w * w);
  }
  tail = where(last == 0 && sum != 0, 0, tail);
  const Term value = where(pole, kInfinity, sum + tail);
  return where(x == 1, kInfinity, where(x < 1, kNan, value));
}

Outputs zeta_of(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  Builder& b = op.builder();
  return zeta(op, Term{b, operand(op, 0, dtype)}.cast(DType::Float64),
              Term{b, operand(op, 1, dtype)}.cast(DType::Float64))
      .value();
}

// By reflection below 1/2. The sine is rounded as in LibTorch, so that it is finite at the poles.
Term trigamma(Op& op, Term x) {
  const DType rounded_to = op.result_dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const Term sine = sin(x.cast(rounded_to) * std::numbers::pi).cast(DType::Float64);
  const Term reflected = x < 0.5;
  const Term beyond = where(x == kInfinity, 0, zeta(op, x.number(2), where(reflected, 1 - x, x)));
  return where(reflected, x.number(std::numbers::pi * std::numbers::pi) / (sine * sine) - beyond, beyond);
}

Outputs polygamma(Op& op) {
  const std::int64_t n = op.integer("n");
  if (n < 0) op.refuse_argument("n", "must not be negative");
  const Term x = in_double(op, op.node().input(0)->type().is_scalar() ? 1 : 0);
  if (n == 0) return digamma(x).value();
  if (n == 1) return trigamma(op, x).value();
  const double scale = (n % 2 == 0 ? -1 : 1) * std::tgamma(static_cast<double>(n) + 1);
  return (zeta(op, x.number(static_cast<double>(n) + 1), x) * scale).value();
}

Outputs mvlgamma(Op& op) {
  const Term x = in_double(op);
  const auto p = static_cast<double>(op.integer("p"));
  Term sum = x.number(p * (p - 1) / 4 * std::log(std::numbers::pi));
  for (std::int64_t i = 0; i < op.integer("p"); ++i) sum = sum + lgamma(x - static_cast<double>(i) / 2);
  return sum.value();
}

// The regularised lower function P(a, x) by its series for x < a + 1, and the upper one Q(a, x) by its continued
// fraction above. Both iterations stop when no element changes.
struct Incomplete {
  Term lower, upper;
};

constexpr double kLargeOrder = 1e6;  // above, series and fraction need too many iterations

// For large orders: the first term of Temme's uniform expansion.
Incomplete incomplete_gamma_of_large(Term a, Term x) {
  constexpr double kLogarithm[] = {1.0 / 2, -1.0 / 3, 1.0 / 4, -1.0 / 5,
                                   1.0 / 6, -1.0 / 7, 1.0 / 8, -1.0 / 9};  // (mu - log(1 + mu)) / mu^2
  constexpr double kFirst[] = {-1.0 / 3, 1.0 / 12, -2.0 / 135, 1.0 / 864, 1.0 / 2835};
  const Term mu = (x - a) / a, near = abs(mu) < 0.01;
  const Term half = where(near, mu * mu * polynomial(mu, kLogarithm), mu - log(x / a));
  const Term root = sqrt(half * 2), eta = where(mu < 0, -root, root);
  const Term first = where(near, polynomial(eta, kFirst), 1 / where(near, 1, mu) - 1 / where(near, 1, eta));
  const Term rest = exp(-(a * half)) / sqrt(a * (2 * std::numbers::pi)) * first;
  const Term place = eta * sqrt(a / 2);
  const auto tail = [](Term t) { return t.with(erfc(t.builder(), t.value())) * 0.5; };
  return {tail(-place) - rest, tail(place) + rest};
}

Incomplete incomplete_gamma(Op& op) {
  Builder& b = op.builder();
  const DType dtype = compute_dtype(op, {0, 1});
  Value* first = b.cast(operand(op, 0, dtype), DType::Float64);
  Value* second = b.cast(operand(op, 1, dtype), DType::Float64);
  op->broadcast(first, second);
  const Term a{b, first}, x{b, second};
  const Term proper = a > 0 && x > 0 && a < kInfinity && x < kInfinity;
  const Term large = proper && a > kLargeOrder, small = proper && a <= kLargeOrder;
  const Term p = where(small, a, 1), z = where(small, x, 1);
  const Term low = z < p + 1;
  const auto any = [&](Term active) {
    Value* count = b.reduce("ReduceSum", active.cast(DType::Float32).value(), {}, false);
    return (p.with(count) > 0).value();
  };
  constexpr double kEnough = 1e-16;
  constexpr std::int64_t kPasses = 20000;

  const Term near = where(low, z, 0), one = p * 0 + 1;
  const Values series =
      loop(b, b.int64(kPasses), nullptr, {one.value(), one.value()}, [&](Value* pass, const Values& state) -> Pass {
        const Term n = p.with(pass).cast(DType::Float64) + 1;
        const Term term = p.with(state[0]) * near / (p + n);
        const Term sum = p.with(state[1]) + term;
        return {any(term > sum * kEnough), {term.value(), sum.value()}};
      });
  // Lentz' method on 1 / (z + 1 - a - 1 (1 - a) / (z + 3 - a - ...)).
  const Term far = where(low, p + 1, z);
  const Term begin = far + 1 - p;
  const Values fraction =
      loop(b, b.int64(kPasses), nullptr, {(one * 1e300).value(), (1 / begin).value(), (1 / begin).value()},
           [&](Value* pass, const Values& state) -> Pass {
             const Term n = p.with(pass).cast(DType::Float64) + 1;
             const Term factor = n * (p - n), base = begin + n * 2;
             const Term d = 1 / (factor * p.with(state[1]) + base);
             const Term c = base + factor / p.with(state[0]);
             const Term change = c * d;
             return {any(abs(change - 1) > kEnough * 4), {c.value(), d.value(), (p.with(state[2]) * change).value()}};
           });
  const Term scale = exp(p * log(z) - z - lgamma(p));
  const Term below = scale * p.with(series[1]) / p, above = scale * p.with(fraction[2]);
  const Incomplete uniform = incomplete_gamma_of_large(where(large, a, 2 * kLargeOrder), where(large, x, kLargeOrder));
  const Term lower = where(large, uniform.lower, where(low, below, 1 - above)),
             upper = where(large, uniform.upper, where(low, 1 - below, above));

  // Special cases at the border of the quadrant. As in LibTorch, a deciding operand takes precedence over a NaN in the
  // other.
  const Term ends = a == 0 || x == 0 || a == kInfinity || x == kInfinity;
  const Term bad = a < 0 || x < 0 || (a == 0 && !(x > 0)) || (a == kInfinity && x == kInfinity) ||
                   (!ends && (a.with(is_nan(b, a.value())) || x.with(is_nan(b, x.value()))));
  const Term full = a == 0 || x == kInfinity;
  const Term outer = where(full, one, one * 0);
  return {where(bad, kNan, where(proper, lower, outer)), where(bad, kNan, where(proper, upper, 1 - outer))};
}

Outputs igamma(Op& op) { return incomplete_gamma(op).lower.value(); }
Outputs igammac(Op& op) { return incomplete_gamma(op).upper.value(); }

// aten::gamma of a Python scalar. Integers use a table, because a program may truncate the result.
Outputs gamma(Op& op) {
  constexpr std::int64_t kLast = 171;
  std::vector<double> products{kNan};
  for (std::int64_t n = 1; n <= kLast; ++n) products.push_back(std::tgamma(static_cast<double>(n)));
  const Term x{op.builder(), op.scalar_of(op.node().input(0), DType::Float64)};
  const Term known = x >= 1 && x <= static_cast<double>(kLast) && floor(x) == x;
  Value* table = op->constant(
      ir::Tensor::from_bytes(DType::Float64, {kLast + 1}, products.data(), products.size() * sizeof(double)));
  const Term looked_up = x.with(op->gather(table, where(known, x, 1).cast(DType::Int64).value(), 0));
  const Term size = exp(lgamma(x)), half = floor(x) / 2;
  const Term other = where(x < 0 && floor(x) == x, kNan, where(x < 0 && floor(half) != half, -size, size));
  return where(known, looked_up, other).value();
}

constexpr Row kGammaRows[] = {
    {"aten::gamma", 9, gamma},
    {"aten::lgamma", 9, function_in_double<lgamma>},
    {"aten::special_gammaln", 9, function_in_double<lgamma>},
    {"aten::digamma", 9, function_in_double<digamma>},
    {"aten::special_digamma", 9, function_in_double<digamma>},
    {"aten::special_psi", 9, function_in_double<digamma>},
    {"aten::polygamma", 9, rounded<polygamma>},
    {"aten::special_polygamma", 9, rounded<polygamma>},
    {"aten::mvlgamma", 9, rounded<mvlgamma>},
    {"aten::special_multigammaln", 9, rounded<mvlgamma>},
    {"aten::special_zeta", 9, rounded<zeta_of>},
    {"aten::igamma", 9, rounded<igamma>},
    {"aten::special_gammainc", 9, rounded<igamma>},
    {"aten::igammac", 9, rounded<igammac>},
    {"aten::special_gammaincc", 9, rounded<igammac>},
};

}  // namespace

std::span<const Row> gamma_rows() { return kGammaRows; }

}  // namespace tonnx::lower
