#pragma once

#include <initializer_list>
#include <iterator>

#include "lower/elementwise.h"
#include "lower/promotion.h"
#include "lower/sizes.h"

// Arithmetic on ONNX values, written as formulas:  (1.0 - t) * x + exp(-abs(x)).
namespace tonnx::lower {

// A value in a formula. Operands broadcast and have the same dtype; a C++ number gets that of the other operand.
// Comparisons return bools. Each operation appends its node when the formula is evaluated.
class Term {
 public:
  Term(Builder& b, Value* value) : builder_(&b), value_(value) {}
  Value* value() const { return value_; }
  Builder& builder() const { return *builder_; }
  Term with(Value* value) const { return {*builder_, value}; }
  Term number(double x) const { return with(builder_->scalar_like(value_, x)); }
  Term apply(std::string_view name) const { return with(builder_->op(name, {value_})); }
  Term cast(DType dtype) const { return with(builder_->cast(value_, dtype)); }

 private:
  Builder* builder_;
  Value* value_;
};

inline Term operator+(Term x, Term y) { return x.with(x.builder().add(x.value(), y.value())); }
inline Term operator-(Term x, Term y) { return x.with(x.builder().sub(x.value(), y.value())); }
inline Term operator*(Term x, Term y) { return x.with(x.builder().mul(x.value(), y.value())); }
inline Term operator/(Term x, Term y) { return x.with(x.builder().div(x.value(), y.value())); }
inline Term operator<(Term x, Term y) { return x.with(less(x.builder(), x.value(), y.value())); }
inline Term operator>(Term x, Term y) { return x.with(greater(x.builder(), x.value(), y.value())); }
inline Term operator<=(Term x, Term y) { return x.with(less_equal(x.builder(), x.value(), y.value())); }
inline Term operator>=(Term x, Term y) { return x.with(greater_equal(x.builder(), x.value(), y.value())); }
inline Term operator==(Term x, Term y) { return x.with(equal(x.builder(), x.value(), y.value())); }
inline Term operator!=(Term x, Term y) { return x.with(not_equal(x.builder(), x.value(), y.value())); }
inline Term operator+(Term x, double y) { return x + x.number(y); }
inline Term operator-(Term x, double y) { return x - x.number(y); }
inline Term operator*(Term x, double y) { return x * x.number(y); }
inline Term operator/(Term x, double y) { return x / x.number(y); }
inline Term operator<(Term x, double y) { return x < x.number(y); }
inline Term operator>(Term x, double y) { return x > x.number(y); }
inline Term operator<=(Term x, double y) { return x <= x.number(y); }
inline Term operator>=(Term x, double y) { return x >= x.number(y); }
inline Term operator==(Term x, double y) { return x == x.number(y); }
inline Term operator!=(Term x, double y) { return x != x.number(y); }
inline Term operator+(double x, Term y) { return y.number(x) + y; }
inline Term operator-(double x, Term y) { return y.number(x) - y; }
inline Term operator*(double x, Term y) { return y.number(x) * y; }
inline Term operator/(double x, Term y) { return y.number(x) / y; }
inline Term operator-(Term x) { return x.apply("Neg"); }
inline Term operator&&(Term x, Term y) { return x.with(x.builder().op("And", {x.value(), y.value()})); }
inline Term operator||(Term x, Term y) { return x.with(x.builder().op("Or", {x.value(), y.value()})); }
inline Term operator!(Term x) { return x.apply("Not"); }

inline Term abs(Term x) { return x.apply("Abs"); }
inline Term exp(Term x) { return x.apply("Exp"); }
inline Term log(Term x) { return x.apply("Log"); }
inline Term sqrt(Term x) { return x.apply("Sqrt"); }
inline Term sin(Term x) { return x.apply("Sin"); }
inline Term cos(Term x) { return x.apply("Cos"); }
inline Term floor(Term x) { return x.apply("Floor"); }
inline Term relu(Term x) { return x.apply("Relu"); }
inline Term pow(Term x, double y) { return x.with(x.builder().op("Pow", {x.value(), x.number(y).value()})); }
inline Term max(Term x, Term y) { return x.with(maximum(x.builder(), x.value(), y.value())); }
inline Term min(Term x, Term y) { return x.with(minimum(x.builder(), x.value(), y.value())); }
inline Term max(Term x, double y) { return max(x, x.number(y)); }
inline Term min(Term x, double y) { return min(x, x.number(y)); }
// max(x, low) of a floating x that may be infinite.
inline Term at_least(Term x, double low) { return x.with(x.builder().clip(x.value(), low, std::nullopt)); }
// Returns x where the condition holds, else y; exact at every opset.
inline Term where(Term condition, Term x, Term y) {
  return x.with(x.builder().where(condition.value(), x.value(), y.value()));
}
inline Term where(Term condition, Term x, double y) { return where(condition, x, x.number(y)); }
inline Term where(Term condition, double x, Term y) { return where(condition, y.number(x), y); }

// The polynomial with these coefficients, in ascending order.
template <class Coefficients>
Term polynomial(Term x, const Coefficients& coefficients) {
  auto it = std::rbegin(coefficients);
  Term sum = x.number(*it);
  for (++it; it != std::rend(coefficients); ++it) sum = sum * x + *it;
  return sum;
}

// The Chebyshev series with these coefficients, t in [-1, 1].
template <class Coefficients>
Term chebyshev(Term t, const Coefficients& coefficients) {
  const Term twice = t * 2;
  Term one = t.number(0), two = one;
  for (auto it = std::rbegin(coefficients); it != std::prev(std::rend(coefficients)); ++it) {
    const Term next = twice * one - two + *it;
    two = one;
    one = next;
  }
  return t * one - two + *std::begin(coefficients);
}

// Argument `position`, cast to float64: special functions compute in it.
inline Term in_double(Op& op, std::size_t position = 0) {
  return Term{op.builder(), operand(op, position, compute_dtype(op, {position}))}.cast(DType::Float64);
}

// The lowering of a function of one argument that is computed in float64 and rounded to the result's dtype.
template <Term (*Function)(Term)>
Outputs function_in_double(Op& op) {
  return op->cast(Function(in_double(op)).value(), compute_dtype(op, {0}));
}

}  // namespace tonnx::lower
