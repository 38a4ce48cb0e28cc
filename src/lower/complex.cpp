#include "lower/complex.h"

#include <limits>

#include "ir/complex.h"
#include "lower/special.h"

namespace tonnx::lower {

Parts parts_operand(const Op& op, const ir::Value* source, DType dtype) {
  if (!op.is_complex(source))
    return {source->type().is_scalar() ? op.scalar_of(source, dtype) : op->cast(op.value_of(source), dtype), nullptr};
  const Parts parts = op.parts_of(source);
  return {op->cast(parts.real, dtype), op->cast(parts.imaginary, dtype)};
}

namespace {

Complex whole(const Op& op, const Parts& parts) {
  Builder& b = op.builder();
  Value* im = parts.imaginary ? parts.imaginary : b.constant_of_shape(b.shape(parts.real), Op::dtype_of(parts.real), 0);
  return {{b, parts.real}, {b, im}};
}

Term hyperbolic_sine(Term x) { return (exp(x) - exp(-x)) * 0.5; }
Term hyperbolic_cosine(Term x) { return (exp(x) + exp(-x)) * 0.5; }

}  // namespace

Complex complex_operand(const Op& op, std::size_t position, DType dtype) {
  return whole(op, parts_operand(op, op.node().input(position), dtype));
}

Complex complex_operand(const Op& op, std::string_view argument, DType dtype) {
  return whole(op, parts_operand(op, op.source(argument), dtype));
}

DType complex_dtype(const Op& op, std::initializer_list<std::size_t> positions) {
  return ir::part_dtype(compute_dtype(op, positions));
}

Complex operator/(const Complex& x, const Complex& y) {
  // Divides by the larger part of y first, because its square may overflow.
  const Term size = max(abs(y.re), abs(y.im));
  const Term a = y.re / size, b = y.im / size;
  const Term square = y.re * a + y.im * b;
  return {(x.re * a + x.im * b) / square, (x.im * a - x.re * b) / square};
}

Term abs(const Complex& x) {
  if (x.re.value()->facts().dtype != DType::Float64) {
    const Complex wide = in_double(x);
    return sqrt(wide.re * wide.re + wide.im * wide.im);
  }
  const Term a = abs(x.re), b = abs(x.im), larger = max(a, b);
  const Term safe = where(larger > 0, larger, 1);
  const Term ratio = min(a, b) / safe;
  const Term infinite = a.with(is_infinite(a.builder(), larger.value()));
  return where(infinite, larger, larger * sqrt(ratio * ratio + 1));
}

Term angle(const Complex& x) { return x.re.with(atan2(x.re.builder(), x.im.value(), x.re.value())); }

Term is_nonzero(const Complex& x) { return x.re != 0 || x.im != 0; }

Complex quotient(const Complex& x, const Complex& y) {
  const Term size = max(abs(y.re), abs(y.im));
  const Complex z = x / y;
  return {where(size == 0, x.re / size, z.re), where(size == 0, x.im / size, z.im)};
}

Complex reciprocal(const Complex& x) { return quotient(Complex{x.re * 0 + 1, x.im * 0}, x); }

Complex exp(const Complex& x) {
  const Term size = exp(x.re);
  return {size * cos(x.im), size * sin(x.im)};
}

Complex log(const Complex& x) { return {log(abs(x)), angle(in_double(x))}; }

Complex sqrt(const Complex& x) {
  const Term size = abs(x);
  const Complex z = in_double(x);
  const Term larger = sqrt((size + abs(z.re)) * 0.5);
  const Term smaller = z.im / where(larger == 0, 1, larger) * 0.5;
  const Term right = z.re >= 0;
  const Term below = z.im.with(is_negative(z.im.builder(), z.im.value()));
  return {where(right, larger, abs(smaller)), where(right, smaller, where(below, -larger, larger))};
}

Complex pow(const Complex& x, const Complex& y) {
  const Complex power = exp(in_double(y) * log(x));
  // The logarithm of 0 is -inf + 0i, which makes the products below undefined or NaN: select 0 or NaN.
  const Term usual = is_nonzero(x), exponent = in_double(y).re, vanishes = exponent > 0;
  const Term nothing = where(vanishes, 0, exponent.number(kNan));
  return {where(usual, power.re, where(exponent < 0, kInfinity, nothing)), where(usual, power.im, nothing)};
}

Complex cosh(const Complex& x) {
  const Complex z = in_double(x);
  return {hyperbolic_cosine(z.re) * cos(z.im), hyperbolic_sine(z.re) * sin(z.im)};
}

Complex sinh(const Complex& x) {
  const Complex z = in_double(x);
  return {hyperbolic_sine(z.re) * cos(z.im), hyperbolic_cosine(z.re) * sin(z.im)};
}

Complex tanh(const Complex& x) {
  const Complex z = in_double(x);
  // For a large real part tanh is 1 or -1; its terms would overflow.
  const Term a = min(max(z.re * 2, -600), 600), b = z.im * 2;
  const Term below = hyperbolic_cosine(a) + cos(b);
  return {hyperbolic_sine(a) / below, sin(b) / below};
}

}  // namespace tonnx::lower
