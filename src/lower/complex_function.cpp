#include "lower/complex.h"
#include "lower/families.h"
#include "lower/special.h"

// Functions of one complex argument.
namespace tonnx::lower {
namespace {

Term atan2(Term y, Term x) { return x.with(atan2(x.builder(), y.value(), x.value())); }
Term real_asinh(Term x) { return x.with(sign(x.builder(), x.value())) * log(abs(x) + sqrt(x * x + 1)); }

Complex square(const Complex& x) { return x * x; }
Complex rsqrt(const Complex& x) { return reciprocal(sqrt(x)); }
Complex exp2(const Complex& x) { return exp(in_double(x) * std::numbers::ln2); }
Complex expm1(const Complex& x) { return exp(in_double(x)) + -1.0; }
Complex log2(const Complex& x) { return log(x) * (1 / std::numbers::ln2); }
Complex log10(const Complex& x) { return log(x) * (1 / std::numbers::ln10); }
Complex log1p(const Complex& x) { return log(in_double(x) + 1); }
Complex sigmoid(const Complex& x) { return reciprocal(exp(in_double(-x)) + 1); }
Complex silu(const Complex& x) { return in_double(x) * sigmoid(x); }
Complex sin(const Complex& x) { return over_i(sinh(times_i(x))); }
Complex cos(const Complex& x) { return cosh(times_i(x)); }
Complex tan(const Complex& x) { return over_i(tanh(times_i(x))); }

// W. Kahan, Branch Cuts for Complex Elementary Functions
Complex asin(const Complex& x) {
  const Complex z = in_double(x), below = sqrt(1 - z), above = sqrt(z + 1);
  return {atan2(z.re, (below * above).re), real_asinh((conj(below) * above).im)};
}
Complex acos(const Complex& x) {
  const Complex z = in_double(x), below = sqrt(1 - z), above = sqrt(z + 1);
  return {atan2(below.re, above.re) * 2, real_asinh((conj(above) * below).im)};
}
Complex acosh(const Complex& x) {
  const Complex z = in_double(x), below = sqrt(z + -1.0), above = sqrt(z + 1);
  return {real_asinh((conj(below) * above).re), atan2(below.im, above.re) * 2};
}
Complex asinh(const Complex& x) { return over_i(asin(times_i(x))); }
Complex atanh(const Complex& x) {
  const Complex z = in_double(x);
  const Term left = 1 - z.re, square = z.im * z.im;
  const Term share = z.re * 4 / (left * left + square);
  return {log(share + 1) * 0.25, atan2(z.im * 2, left * (z.re + 1) - square) * 0.5};
}
Complex atan(const Complex& x) { return over_i(atanh(times_i(x))); }

// sin(pi x) / (pi x); 1 at 0
Complex sinc(const Complex& x) {
  const Complex z = in_double(x) * std::numbers::pi, y = sin(z);
  const Term zero = !is_nonzero(z);
  const Complex ratio = y / Complex{where(zero, 1, z.re), z.im};
  return {where(zero, 1, ratio.re), where(zero, 0.0, ratio.im)};
}

// x / |x|; 0 at 0
Complex sgn(const Complex& x) {
  const Term size = abs(x);
  return in_double(x) / where(size == 0, 1, size);
}

Term is_nan_in(const Complex& x) {
  Builder& b = x.re.builder();
  return x.re.with(is_nan(b, x.re.value())) || x.re.with(is_nan(b, x.im.value()));
}
Term is_infinite_in(const Complex& x) {
  Builder& b = x.re.builder();
  return x.re.with(is_infinite(b, x.re.value())) || x.re.with(is_infinite(b, x.im.value()));
}
Term is_finite_in(const Complex& x) {
  Builder& b = x.re.builder();
  return x.re.with(is_finite(b, x.re.value())) && x.re.with(is_finite(b, x.im.value()));
}
Term is_real(const Complex& x) { return x.im == 0; }
Term is_zero(const Complex& x) { return !is_nonzero(x); }
// Computed in the dtype of the parts, which is exact enough.
Term angle_of(const Complex& x) { return angle(x); }
Term size_of(const Complex& x) { return abs(x); }

Complex complex_argument(Op& op) {
  Builder& b = op.builder();
  const Parts parts = op.parts_of(op.node().input(0));
  if (!parts.imaginary) op.refuse("its result is complex but its argument is real");
  return {{b, in_full_precision(b, parts.real)}, {b, in_full_precision(b, parts.imaginary)}};
}

template <Complex (*Function)(const Complex&)>
Outputs function(Op& op) {
  return outputs(Function(complex_argument(op)));
}

template <Term (*Function)(const Complex&)>
Outputs question(Op& op) {
  return Function(complex_argument(op)).value();
}

constexpr Row kComplexFunctionRows[] = {
    {"aten::abs", 7, rounded<question<size_of>>},
    {"aten::absolute", 7, rounded<question<size_of>>},
    {"aten::angle", 9, rounded<question<angle_of>>},
    {"aten::isnan", 7, question<is_nan_in>},
    {"aten::isinf", 7, question<is_infinite_in>},
    {"aten::isfinite", 7, question<is_finite_in>},
    {"aten::isreal", 7, question<is_real>},
    {"aten::logical_not", 7, question<is_zero>},
    {"aten::reciprocal", 7, rounded<function<reciprocal>>},
    {"aten::square", 7, rounded<function<square>>},
    {"aten::sqrt", 9, rounded<function<sqrt>>},
    {"aten::rsqrt", 9, rounded<function<rsqrt>>},
    {"aten::exp", 7, rounded<function<exp>>},
    {"aten::exp2", 7, rounded<function<exp2>>},
    {"aten::special_exp2", 7, rounded<function<exp2>>},
    {"aten::expm1", 7, rounded<function<expm1>>},
    {"aten::special_expm1", 7, rounded<function<expm1>>},
    {"aten::log", 9, rounded<function<log>>},
    {"aten::log2", 9, rounded<function<log2>>},
    {"aten::log10", 9, rounded<function<log10>>},
    {"aten::log1p", 9, rounded<function<log1p>>},
    {"aten::special_log1p", 9, rounded<function<log1p>>},
    {"aten::sin", 7, rounded<function<sin>>},
    {"aten::cos", 7, rounded<function<cos>>},
    {"aten::tan", 7, rounded<function<tan>>},
    {"aten::sinh", 7, rounded<function<sinh>>},
    {"aten::cosh", 7, rounded<function<cosh>>},
    {"aten::tanh", 7, rounded<function<tanh>>},
    {"aten::asin", 9, rounded<function<asin>>},
    {"aten::arcsin", 9, rounded<function<asin>>},
    {"aten::acos", 9, rounded<function<acos>>},
    {"aten::arccos", 9, rounded<function<acos>>},
    {"aten::atan", 9, rounded<function<atan>>},
    {"aten::arctan", 9, rounded<function<atan>>},
    {"aten::asinh", 9, rounded<function<asinh>>},
    {"aten::arcsinh", 9, rounded<function<asinh>>},
    {"aten::acosh", 9, rounded<function<acosh>>},
    {"aten::arccosh", 9, rounded<function<acosh>>},
    {"aten::atanh", 9, rounded<function<atanh>>},
    {"aten::arctanh", 9, rounded<function<atanh>>},
    {"aten::sigmoid", 7, rounded<function<sigmoid>>},
    {"aten::special_expit", 7, rounded<function<sigmoid>>},
    {"aten::silu", 7, rounded<function<silu>>},
    {"aten::sinc", 7, rounded<function<sinc>>},
    {"aten::special_sinc", 7, rounded<function<sinc>>},
    {"aten::sgn", 7, rounded<function<sgn>>},
};

}  // namespace

std::span<const Row> complex_function_rows() { return kComplexFunctionRows; }

}  // namespace tonnx::lower
