#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "lower/builder.h"
#include "lower/op.h"
#include "lower/promotion.h"

// Elementwise formulas over ONNX values for several families, each in the best form for the target opset; and the
// lowerings of operators that are one ONNX operator. Operands broadcast and have the same dtype.
namespace tonnx::lower {

double largest(DType dtype);  // finite number of a float dtype
// The scalar that no element is above, or below: an infinity of floats. Refuses for the largest uint64.
Value* highest(Builder& b, DType dtype);
Value* lowest(Builder& b, DType dtype);

// Comparisons; the result is bool. A NaN is not equal to, below or above any number, at every opset.
Value* equal(Builder& b, Value* x, Value* y);
Value* not_equal(Builder& b, Value* x, Value* y);
Value* less(Builder& b, Value* x, Value* y);
Value* less_equal(Builder& b, Value* x, Value* y);
Value* greater(Builder& b, Value* x, Value* y);
Value* greater_equal(Builder& b, Value* x, Value* y);
Value* is_nan(Builder& b, Value* x);       // false for integers
Value* is_infinite(Builder& b, Value* x);  // either sign
Value* is_finite(Builder& b, Value* x);
// True where a float is 0. Never ends in a Not: ONNX Runtime's optimiser would swap the inputs of a Where on it, and
// its Where preserves the sign of a zero only in its last input.
Value* is_zero(Builder& b, Value* x);
Value* is_negative(Builder& b, Value* x);  // the sign bit of a number, set for -0.0

// True if the target's Max, Min, Clip and Sign may be wrong for x (Defect::Int64Extremes): int64 with more than one
// element, and large numbers.
bool confuses_halves(const Builder& b, const Value* x);
Value* maximum(Builder& b, Value* x, Value* y);
Value* minimum(Builder& b, Value* x, Value* y);
Value* sign(Builder& b, Value* x);
Value* truncate(Builder& b, Value* x);
Value* round_half_even(Builder& b, Value* x);

// Division as in LibTorch. fmod has the sign of x, remainder that of y.
Value* fmod(Builder& b, Value* x, Value* y);
Value* remainder(Builder& b, Value* x, Value* y);
// The divisor of an integer division. Replaces a single 0 by 1 if x may be empty: LibTorch then divides nothing, but
// the target may fail (Defect::EmptyDivision).
Value* integer_divisor(Builder& b, Value* x, Value* y);
Value* floor_divide(Builder& b, Value* x, Value* y);

// start + weight (end - start); computed from the other end for weight >= 0.5, as LibTorch rounds it. Floats only.
Value* lerp(Builder& b, Value* start, Value* end, Value* weight);

// exp(x) - 1 and log(1 + x), precise near zero; float32 or float64.
Value* expm1(Builder& b, Value* x);
Value* log1p(Builder& b, Value* x);
Value* softplus(Builder& b, Value* x);  // log(1 + exp(x)), stable

// A string as a template argument.
template <std::size_t N>
struct OperatorName {
  char text[N];
  constexpr OperatorName(const char (&name)[N]) { std::copy_n(name, N, text); }
  constexpr operator std::string_view() const { return {text, N - 1}; }
};

// Lowerings of operators that are one ONNX operator on argument 0, or arguments 0 and 1, in the dtype of the result.
template <OperatorName Name>
Outputs unary(Op& op) {
  return op->op(Name, {operand(op, 0, compute_dtype(op, {0}))});
}
template <OperatorName Name>
Outputs binary(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  return op->op(Name, {operand(op, 0, dtype), operand(op, 1, dtype)});
}

// The same with a formula instead of the ONNX operator. The full_ forms compute half precision in float32 and round the
// result.
template <Value* (*Formula)(Builder&, Value*)>
Outputs unary_formula(Op& op) {
  return Formula(op.builder(), operand(op, 0, compute_dtype(op, {0})));
}
template <Value* (*Formula)(Builder&, Value*)>
Outputs full_unary_formula(Op& op) {
  const DType dtype = compute_dtype(op, {0});
  return op->cast(Formula(op.builder(), in_full_precision(op.builder(), operand(op, 0, dtype))), dtype);
}
template <Value* (*Formula)(Builder&, Value*, Value*)>
Outputs binary_formula(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  return Formula(op.builder(), operand(op, 0, dtype), operand(op, 1, dtype));
}
template <Value* (*Formula)(Builder&, Value*, Value*)>
Outputs full_binary_formula(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  return op->cast(Formula(op.builder(), in_full_precision(op.builder(), operand(op, 0, dtype)),
                          in_full_precision(op.builder(), operand(op, 1, dtype))),
                  dtype);
}

// Returns the argument unchanged.
inline Outputs identity(Op& op) { return op.value_of(op.node().input(0)); }

}  // namespace tonnx::lower
