#include <cmath>
#include <limits>
#include <numbers>

#include "lower/bessel_fits.h"
#include "lower/families.h"
#include "lower/formula.h"
#include "lower/special.h"

// Bessel and Airy functions over their whole range. Computed in float64, accurate to about 1e-14 of the largest value
// nearby.
namespace tonnx::lower {
namespace {

Term sign_of(Term x) { return x.with(sign(x.builder(), x.value())); }

// exp(-|x|) I0(x) and exp(-|x|) I1(x)
Term i0e(Term x) {
  const Term size = abs(x), low = min(size, 8), high = max(size, 8);
  return where(size <= 8, chebyshev(low / 4 - 1, kI0Low), chebyshev(16 / high - 1, kI0High) / sqrt(high));
}
Term i1e(Term x) {
  const Term size = abs(x), low = min(size, 8), high = max(size, 8);
  return sign_of(x) *
         where(size <= 8, chebyshev(low / 4 - 1, kI1Low) * low, chebyshev(16 / high - 1, kI1High) / sqrt(high));
}
Term i0(Term x) { return exp(abs(x)) * i0e(x); }
Term i1(Term x) { return exp(abs(x)) * i1e(x); }

// exp(x) K(x) from two fits, for small and large x; infinite at 0, NaN below 0.
Term scaled_k(Term x, Term low, Term high) {
  return where(x < 0, kNan, where(x == 0, kInfinity, where(x <= 2, low, high)));
}
Term k0e(Term x) {
  const Term low = min(x, 2), high = max(x, 2);
  return scaled_k(x, (chebyshev(low * low / 2 - 1, kK0Low) - log(low / 2) * i0(low)) * exp(low),
                  chebyshev(4 / high - 1, kK0High) / sqrt(high));
}
Term k1e(Term x) {
  const Term low = min(x, 2), high = max(x, 2);
  return scaled_k(x, (chebyshev(low * low / 2 - 1, kK1Low) / low + log(low / 2) * i1(low)) * exp(low),
                  chebyshev(4 / high - 1, kK1High) / sqrt(high));
}
Term k0(Term x) { return exp(-x) * k0e(x); }
Term k1(Term x) { return exp(-x) * k1e(x); }

struct Wave {
  Term cosine, sine;  // J and Y for large x
};

// Modulus and phase of J_n and Y_n, x >= 8.
template <class P, class Q>
Wave wave(Term x, double order, const P& p_fit, const Q& q_fit) {
  const Term t = 128 / (x * x) - 1;
  const Term p = chebyshev(t, p_fit), q = chebyshev(t, q_fit) / x;
  const Term phase = x - (order / 2 + 0.25) * std::numbers::pi;
  const Term scale = sqrt(2 / (x * std::numbers::pi));
  const Term c = cos(phase), s = sin(phase);
  return {scale * (p * c - q * s), scale * (p * s + q * c)};
}

Term low_argument(Term low) { return low * low / 32 - 1; }

Term j0(Term x) {
  const Term size = abs(x), low = min(size, 8), high = max(size, 8);
  return where(size <= 8, chebyshev(low_argument(low), kJ0Low), wave(high, 0, kP0, kQ0).cosine);
}
Term j1(Term x) {
  const Term size = abs(x), low = min(size, 8), high = max(size, 8);
  return sign_of(x) * where(size <= 8, chebyshev(low_argument(low), kJ1Low) * low, wave(high, 1, kP1, kQ1).cosine);
}

// Function of the second kind from two fits, for small and large x: -infinity at 0, NaN below 0.
Term second_kind(Term x, Term near, Term far) {
  return where(x < 0, kNan, where(x == 0, -kInfinity, where(x <= 8, near, far)));
}
Term y0(Term x) {
  const Term low = min(x, 8), high = max(x, 8), t = low_argument(low);
  const Term near = chebyshev(t, kY0Low) + log(low) * chebyshev(t, kJ0Low) * (2 / std::numbers::pi);
  return second_kind(x, near, wave(high, 0, kP0, kQ0).sine);
}
Term y1(Term x) {
  const Term low = min(x, 8), high = max(x, 8), t = low_argument(low);
  const Term near =
      chebyshev(t, kY1Low) * low + (log(low) * chebyshev(t, kJ1Low) * low - 1 / low) * (2 / std::numbers::pi);
  return second_kind(x, near, wave(high, 1, kP1, kQ1).sine);
}

// sin(x) / x
Term spherical_j0(Term x) {
  const Term square = x * x;
  const Term near = 1 - square / 6 * (1 - square / 20 * (1 - square / 42));
  const Term far = where(abs(x) == kInfinity, 0, sin(x) / x);
  return where(abs(x) < 0.1, near, far);
}

Term airy_ai(Term x) {
  const double root_pi = std::sqrt(std::numbers::pi);
  const Term middle = min(max(x, -6), 2);
  const Term right = max(x, 2), left = max(-x, 6);
  const auto argument = [](Term size) { return size * sqrt(size) * (2.0 / 3); };
  const double first = 4 * std::sqrt(2.0) / 3, border = 4 * std::sqrt(6.0);
  const Term z = argument(right);
  const Term decay = exp(-z) * chebyshev(2 * first / z - 1, kAiryHigh) / (sqrt(sqrt(right)) * (2 * root_pi));
  const Term w = argument(left);
  const Term t = 2 * border * border / (w * w) - 1;
  const Term phase = w - std::numbers::pi / 4;
  const Term swing =
      (chebyshev(t, kAiryP) * cos(phase) + chebyshev(t, kAiryQ) / w * sin(phase)) / (sqrt(sqrt(left)) * root_pi);
  const Term near = chebyshev((middle + 2) / 4, kAiryMiddle);
  return where(abs(x) == kInfinity, kNan, where(x > 2, decay, where(x < -6, swing, near)));
}

constexpr Row kBesselRows[] = {
    {"aten::i0", 9, function_in_double<i0>},
    {"aten::special_i0", 9, function_in_double<i0>},
    {"aten::special_i0e", 9, function_in_double<i0e>},
    {"aten::special_i1", 9, function_in_double<i1>},
    {"aten::special_i1e", 9, function_in_double<i1e>},
    {"aten::special_modified_bessel_i0", 9, function_in_double<i0>},
    {"aten::special_modified_bessel_i1", 9, function_in_double<i1>},
    {"aten::special_modified_bessel_k0", 9, function_in_double<k0>},
    {"aten::special_modified_bessel_k1", 9, function_in_double<k1>},
    {"aten::special_scaled_modified_bessel_k0", 9, function_in_double<k0e>},
    {"aten::special_scaled_modified_bessel_k1", 9, function_in_double<k1e>},
    {"aten::special_bessel_j0", 9, function_in_double<j0>},
    {"aten::special_bessel_j1", 9, function_in_double<j1>},
    {"aten::special_bessel_y0", 9, function_in_double<y0>},
    {"aten::special_bessel_y1", 9, function_in_double<y1>},
    {"aten::special_spherical_bessel_j0", 9, function_in_double<spherical_j0>},
    {"aten::special_airy_ai", 9, function_in_double<airy_ai>},
};

}  // namespace

Value* bessel_i0(Builder& b, Value* x) { return i0({b, x}).value(); }

std::span<const Row> bessel_rows() { return kBesselRows; }

}  // namespace tonnx::lower
