#include <cmath>
#include <limits>
#include <numbers>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/special.h"

// The inverse error function, the normal distribution function and its inverse, including their tails; in float64 to
// about 1e-13.
namespace tonnx::lower {
namespace {

const double kRootPi = std::sqrt(std::numbers::pi);

Term complement(Term x) { return x.with(erfc(x.builder(), x.value())); }
Term scaled_complement(Term x) { return x.with(erfcx(x.builder(), x.value())); }

// Giles' approximation (2010) of erfinv(x) / x as a function of w = -log(1 - x^2); exact to six digits for w < 16.
Term first_guess(Term w) {
  constexpr double kNear[] = {1.50140941,      0.246640727,    -0.00417768164, -0.00125372503, 0.00021858087,
                              -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08};
  constexpr double kFar[] = {2.83297682,     1.00167406,    0.00943887047,  -0.0076224613,  0.00573950773,
                             -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257};
  return where(w < 5, polynomial(w - 2.5, kNear), polynomial(sqrt(max(w, 5)) - 3, kFar));
}

Term erfinv(Term x) {
  const Term inside = min(abs(x), 1 - 1e-16);
  Term y = inside * first_guess(-log((1 - inside) * (1 + inside)));
  for (int step = 0; step < 4; ++step) {
    const Term near = x.with(erf(x.builder(), y.value())) - inside;
    const Term miss = where(inside < 0.5, near, (1 - inside) - complement(y));  // erf(y) - inside cancels near 1
    y = y - miss * exp(y * y) * (kRootPi / 2);
  }
  const Term value = where(abs(x) == 1, kInfinity, y) * x.with(sign(x.builder(), x.value()));
  return where(abs(x) > 1, kNan, value);
}

// The y >= 0 with log(erfc(y)) = `target`, by Newton's method on the logarithm, which is close to a parabola.
Term inverse_of_log_complement(Term target) {
  const Term near = target > -16;
  const Term w = -(target + log(2 - exp(target)));
  const Term depth = max(-target, 16);
  Term y = where(near, (1 - exp(target)) * first_guess(w), sqrt(depth - 0.5 * log(depth * std::numbers::pi)));
  for (int step = 0; step < 4; ++step) {
    const Term scaled = scaled_complement(y);
    y = max(y + (log(scaled) - y * y - target) * scaled * (kRootPi / 2), 0);
  }
  return y;
}

Term ndtr(Term x) { return complement(x * -std::numbers::sqrt2 / 2) * 0.5; }

Term log_ndtr(Term x) {
  const Term z = x / std::numbers::sqrt2;
  const Term low = min(z, -1 / std::numbers::sqrt2);
  const Term tail = log(scaled_complement(-low) * 0.5) - low * low;
  const Term body = x.with(log1p(x.builder(), (complement(max(z, -1)) * -0.5).value()));
  return where(x < -1, tail, body);
}

Term ndtri(Term p) {
  const Term inside = p > 0 && p < 1;
  const Term q = where(inside, min(p, 1 - p), 0.5);
  const Term size = inverse_of_log_complement(log(q * 2)) * std::numbers::sqrt2;
  const Term value = where(p < 0.5, -size, size);
  return where(inside, value, where(p == 0, -kInfinity, where(p == 1, p.number(kInfinity), p.number(kNan))));
}

constexpr Row kErrorFunctionRows[] = {
    {"aten::erfinv", 9, function_in_double<erfinv>},       {"aten::special_erfinv", 9, function_in_double<erfinv>},
    {"aten::special_ndtr", 9, function_in_double<ndtr>},   {"aten::special_log_ndtr", 9, function_in_double<log_ndtr>},
    {"aten::special_ndtri", 9, function_in_double<ndtri>},
};

}  // namespace

std::span<const Row> error_function_rows() { return kErrorFunctionRows; }

}  // namespace tonnx::lower
