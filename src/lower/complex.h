#pragma once

#include "lower/formula.h"

// Complex arithmetic, written as formulas. Both parts have the same dtype, and sizes that broadcast.
namespace tonnx::lower {

struct Complex {
  Term re;
  Term im;
};

inline Outputs outputs(const Complex& x) { return Parts{x.re.value(), x.im.value()}; }

// The argument at this position, or of this name, with parts of `dtype`. The imaginary part of a real argument is zeros
// of its shape.
Complex complex_operand(const Op& op, std::size_t position, DType dtype);
Complex complex_operand(const Op& op, std::string_view argument, DType dtype);
// The same, but without an imaginary part if the source is real.
Parts parts_operand(const Op& op, const ir::Value* source, DType dtype);
// The dtype of the parts in which LibTorch computes with these operands.
DType complex_dtype(const Op& op, std::initializer_list<std::size_t> positions);

inline Complex operator+(const Complex& x, const Complex& y) { return {x.re + y.re, x.im + y.im}; }
inline Complex operator-(const Complex& x, const Complex& y) { return {x.re - y.re, x.im - y.im}; }
inline Complex operator*(const Complex& x, const Complex& y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
inline Complex operator*(const Complex& x, Term y) { return {x.re * y, x.im * y}; }
inline Complex operator*(const Complex& x, double y) { return {x.re * y, x.im * y}; }
inline Complex operator/(const Complex& x, Term y) { return {x.re / y, x.im / y}; }
Complex operator/(const Complex& x, const Complex& y);
inline Complex operator+(const Complex& x, double y) { return {x.re + y, x.im}; }
inline Complex operator-(double x, const Complex& y) { return {x - y.re, -y.im}; }
inline Complex operator-(const Complex& x) { return {-x.re, -x.im}; }

inline Complex conj(const Complex& x) { return {x.re, -x.im}; }
inline Complex times_i(const Complex& x) { return {-x.im, x.re}; }
inline Complex over_i(const Complex& x) { return {x.im, -x.re}; }
inline Complex cast(const Complex& x, DType dtype) { return {x.re.cast(dtype), x.im.cast(dtype)}; }
// Casts to float64. The table rows of functions that compute in float64 use `rounded`.
inline Complex in_double(const Complex& x) { return cast(x, DType::Float64); }

Term abs(const Complex& x);  // in float64, because it overflows where x does not
inline Term squares(const Complex& x) { return x.re * x.re + x.im * x.im; }
Term angle(const Complex& x);
Term is_nonzero(const Complex& x);
Complex quotient(const Complex& x, const Complex& y);  // x / y; for y = 0 each part is divided by 0
Complex reciprocal(const Complex& x);
Complex exp(const Complex& x);
// The functions below compute in float64.
Complex log(const Complex& x);
Complex sqrt(const Complex& x);
Complex pow(const Complex& x, const Complex& y);
Complex cosh(const Complex& x);
Complex sinh(const Complex& x);
Complex tanh(const Complex& x);

}  // namespace tonnx::lower
