#include <cmath>
#include <numbers>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/missing.h"
#include "lower/special.h"

namespace tonnx::lower {
namespace {

// A float constant in the dtype of `like`.
Value* number(Builder& b, Value* like, double value) { return b.scalar_like(like, value); }

// Calls the formula with the input in its own dtype, for operators with bool results.
template <Value* (*Formula)(Builder&, Value*)>
Outputs predicate(Op& op) {
  return Formula(op.builder(), op.value_of(op.node().input(0)));
}

// Below opset 9 ONNX lacks the function, and a target may lack it in float64; the formula computes it in float64, so
// that no digit is lost.
template <OperatorName Name, Value* (*Formula)(Builder&, Value*)>
Outputs hyperbolic(Op& op) {
  Value* x = operand(op, 0, compute_dtype(op, {0}));
  if (op.opset() >= 9 && op->serves(Name, x)) return op->op(Name, {x});
  return op->cast(Formula(op.builder(), op->cast(x, DType::Float64)), x->facts().dtype);
}

Value* cosh_formula(Builder& b, Value* x) {
  Value* sum = b.add(b.op("Exp", {x}), b.op("Exp", {b.op("Neg", {x})}));
  return b.mul(sum, number(b, x, 0.5));
}

// tanh(x) * cosh(x) is precise near zero, where exp(x) - exp(-x) cancels.
Value* sinh_formula(Builder& b, Value* x) {
  Value* away = b.mul(b.sub(b.op("Exp", {x}), b.op("Exp", {b.op("Neg", {x})})), number(b, x, 0.5));
  Value* near = b.mul(b.op("Tanh", {x}), cosh_formula(b, x));
  return b.where(less(b, b.op("Abs", {x}), number(b, x, 1)), near, away);
}

constexpr double kLarge = 1e9;  // above it, x*x + 1 is x*x in float64

// log(2 x) of a large x without overflow.
Value* log_of_double(Builder& b, Value* x) { return b.add(b.op("Log", {x}), number(b, x, std::numbers::ln2)); }

// log1p(a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|; does not cancel near zero.
Value* asinh_formula(Builder& b, Value* x) {
  Value* one = number(b, x, 1);
  Value* magnitude = b.op("Abs", {x});
  Value* bounded = minimum(b, magnitude, number(b, x, kLarge));
  Value* squared = b.mul(bounded, bounded);
  Value* root = b.op("Sqrt", {b.add(squared, one)});
  Value* near = log1p(b, b.add(bounded, b.div(squared, b.add(root, one))));
  return b.mul(sign(b, x), b.where(greater(b, magnitude, number(b, x, kLarge)), log_of_double(b, magnitude), near));
}

// log1p(t + sqrt(t (t + 2))) with t = x - 1, which is exact near 1.
Value* acosh_formula(Builder& b, Value* x) {
  Value* t = b.sub(x, number(b, x, 1));
  Value* root = b.mul(b.op("Sqrt", {t}), b.op("Sqrt", {b.add(t, number(b, x, 2))}));
  return b.where(greater(b, x, number(b, x, kLarge)), log_of_double(b, x), log1p(b, b.add(t, root)));
}

// log1p(2 a / (1 - a)) / 2 with a = |x|
Value* atanh_formula(Builder& b, Value* x) {
  Value* magnitude = b.op("Abs", {x});
  Value* ratio = b.div(b.mul(magnitude, number(b, x, 2)), b.sub(number(b, x, 1), magnitude));
  return b.mul(b.mul(log1p(b, ratio), number(b, x, 0.5)), sign(b, x));
}

Value* tan_formula(Builder& b, Value* x) {
  if (b.serves("Tan", x)) return b.op("Tan", {x});
  return b.div(b.op("Sin", {x}), b.op("Cos", {x}));
}

Value* rsqrt(Builder& b, Value* x) { return b.op("Reciprocal", {b.op("Sqrt", {x})}); }
Value* exp2(Builder& b, Value* x) { return b.op("Pow", {number(b, x, 2), x}); }
Value* log2(Builder& b, Value* x) { return b.div(b.op("Log", {x}), number(b, x, std::numbers::ln2)); }
Value* log10(Builder& b, Value* x) { return b.div(b.op("Log", {x}), number(b, x, std::numbers::ln10)); }
Value* fraction(Builder& b, Value* x) { return b.sub(x, truncate(b, x)); }
Value* square(Builder& b, Value* x) { return b.mul(x, x); }
Value* radians(Builder& b, Value* x) { return b.mul(x, number(b, x, std::numbers::pi / 180)); }
Value* degrees(Builder& b, Value* x) { return b.mul(x, number(b, x, 180 / std::numbers::pi)); }

Value* floor_formula(Builder& b, Value* x) { return ir::is_floating(x->facts().dtype) ? b.op("Floor", {x}) : x; }
Value* ceil_formula(Builder& b, Value* x) { return ir::is_floating(x->facts().dtype) ? b.op("Ceil", {x}) : x; }
Value* abs_formula(Builder& b, Value* x) { return x->facts().dtype == DType::UInt8 ? x : b.op("Abs", {x}); }
Value* neg_formula(Builder& b, Value* x) {
  return x->facts().dtype == DType::UInt8 ? b.sub(b.scalar(DType::UInt8, std::int64_t{0}), x) : b.op("Neg", {x});
}
// LibTorch's sign of NaN is 0; ONNX's Sign returns NaN.
Value* sign_formula(Builder& b, Value* x) {
  if (x->facts().dtype == DType::Bool) return x;
  if (!may_hold_nan(b, x)) return sign(b, x);
  const auto is = [&](Value* condition) { return b.cast(condition, x->facts().dtype); };
  return b.sub(is(greater(b, x, number(b, x, 0))), is(less(b, x, number(b, x, 0))));
}
Value* angle(Builder& b, Value* x) {
  Value* turned = b.where(less(b, x, number(b, x, 0)), number(b, x, std::numbers::pi), number(b, x, 0));
  return b.where(is_nan(b, x), x, turned);
}

Value* sinc(Builder& b, Value* x) {
  Value* turned = b.mul(x, number(b, x, std::numbers::pi));
  Value* is_zero = equal(b, x, number(b, x, 0));
  Value* safe = b.where(is_zero, number(b, x, 1), turned);
  return b.where(is_zero, number(b, x, 1), b.div(b.op("Sin", {turned}), safe));
}

// aten::special_entr: -x log x; 0 at 0, -inf below
Value* entropy(Builder& b, Value* x) {
  Value* zero = number(b, x, 0);
  Value* inside = b.op("Neg", {b.mul(x, b.op("Log", {x}))});
  Value* outside = b.where(equal(b, x, zero), zero, inside);
  return b.where(less(b, x, zero), number(b, x, -kInfinity), outside);
}

Value* is_positive_infinity(Builder& b, Value* x) {
  return b.op("And", {is_infinite(b, x), greater(b, x, number(b, x, 0))});
}
Value* is_negative_infinity(Builder& b, Value* x) {
  return b.op("And", {is_infinite(b, x), less(b, x, number(b, x, 0))});
}

Value* logical_not(Builder& b, Value* x) { return b.op("Not", {b.cast(x, DType::Bool)}); }

Outputs bitwise_not(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  if (x->facts().dtype == DType::Bool) return op->op("Not", {x});
  if (ir::is_floating(x->facts().dtype))
    op.refuse("it accepts integers and bools, not " + std::string(ir::name_of(x->facts().dtype)));
  if (op.opset() >= 18) return op->op("BitwiseNot", {x});
  // ~x is -1 - x in two's complement, 255 - x in uint8.
  const std::int64_t ones = x->facts().dtype == DType::UInt8 ? 255 : -1;
  return op->sub(op->scalar(x->facts().dtype, ones), x);
}

// Rounds to a dynamic number of decimals; a negative number rounds to tens.
Value* round_to(Builder& b, Value* x, Value* decimals) {
  Value* power = b.cast(b.op("Abs", {decimals}), DType::Float64);
  Value* scale = b.cast(b.op("Pow", {b.scalar_like(power, 10), power}), x->facts().dtype);
  Value* are_tens = less(b, decimals, number(b, decimals, 0));
  Value* rounded = round_half_even(b, b.where(are_tens, b.div(x, scale), b.mul(x, scale)));
  return b.where(are_tens, b.mul(rounded, scale), b.div(rounded, scale));
}

// aten::round; decimals by scaling, like LibTorch's kernel
Outputs round(Op& op) {
  Value* x = operand(op, 0, compute_dtype(op, {0}));
  if (op.has("decimals") && !op.is_constant("decimals") && ir::is_floating(x->facts().dtype)) {
    if (op.opset() < 9) op.needs_opset(9, "a number of decimals known at run time only");
    return round_to(op.builder(), in_full_precision(op.builder(), x), op.scalar("decimals", DType::Int64));
  }
  const std::int64_t decimals = op.has("decimals") ? op.integer("decimals") : 0;
  if (decimals == 0 || !ir::is_floating(x->facts().dtype)) return round_half_even(op.builder(), x);
  x = in_full_precision(op.builder(), x);
  Value* scale = op->scalar_like(x, std::pow(10.0, static_cast<double>(std::abs(decimals))));
  if (decimals > 0) return op->div(round_half_even(op.builder(), op->mul(x, scale)), scale);
  return op->mul(round_half_even(op.builder(), op->div(x, scale)), scale);
}

Outputs nan_to_num(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  const DType dtype = x->facts().dtype;
  if (!ir::is_floating(dtype)) return x;
  if (op.opset() < 9) op.needs_opset(9, "replacing NaN");
  const auto replacement = [&](const char* argument, double otherwise) {
    return op.is_none(argument) ? b.scalar(dtype, otherwise) : op.scalar(argument, dtype);
  };
  Value* y = b.where(is_positive_infinity(b, x), replacement("posinf", largest(dtype)), x);
  y = b.where(is_negative_infinity(b, x), replacement("neginf", -largest(dtype)), y);
  return b.where(is_nan(b, x), replacement("nan", 0.0), y);
}

Outputs logit(Op& op) {
  Value* x = in_full_precision(op.builder(), operand(op, 0, compute_dtype(op, {0})));
  if (const auto eps = op.maybe_number("eps"); eps && *eps >= 0) x = op->clip(x, eps, 1 - *eps);
  return op->op("Log", {op->div(x, op->sub(op->scalar_like(x, 1), x))});
}

constexpr Row kUnaryRows[] = {
    {"aten::abs", 7, unary_formula<abs_formula>},
    {"aten::absolute", 7, unary_formula<abs_formula>},
    {"prim::abs", 7, unary_formula<abs_formula>},
    {"aten::fabs", 7, unary_formula<abs_formula>},
    {"aten::neg", 7, unary_formula<neg_formula>},
    {"aten::negative", 7, unary_formula<neg_formula>},
    {"aten::_neg_view", 7, unary_formula<neg_formula>},
    {"aten::_neg_view_copy", 7, unary_formula<neg_formula>},
    {"aten::positive", 7, identity},
    {"aten::exp", 7, unary<"Exp">},
    {"aten::exp2", 7, unary_formula<exp2>},
    {"aten::special_exp2", 7, unary_formula<exp2>},
    {"aten::expm1", 7, full_unary_formula<expm1>},
    {"aten::special_expm1", 7, full_unary_formula<expm1>},
    {"aten::log", 7, unary<"Log">},
    {"aten::log2", 7, full_unary_formula<log2>},
    {"aten::log10", 7, full_unary_formula<log10>},
    {"aten::log1p", 7, full_unary_formula<log1p>},
    {"aten::special_log1p", 7, full_unary_formula<log1p>},
    {"aten::sqrt", 7, unary<"Sqrt">},
    {"aten::rsqrt", 7, unary_formula<rsqrt>},
    {"aten::reciprocal", 7, unary<"Reciprocal">},
    {"aten::square", 7, unary_formula<square>},
    {"aten::sin", 7, unary<"Sin">},
    {"aten::cos", 7, unary<"Cos">},
    {"aten::tan", 7, unary_formula<tan_formula>},
    {"aten::asin", 7, unary_formula<asin>},
    {"aten::arcsin", 7, unary_formula<asin>},
    {"aten::acos", 7, unary_formula<acos>},
    {"aten::arccos", 7, unary_formula<acos>},
    {"aten::atan", 7, unary_formula<atan>},
    {"aten::arctan", 7, unary_formula<atan>},
    {"aten::sinh", 7, hyperbolic<"Sinh", sinh_formula>},
    {"aten::cosh", 7, hyperbolic<"Cosh", cosh_formula>},
    {"aten::tanh", 7, unary<"Tanh">},
    {"aten::asinh", 7, hyperbolic<"Asinh", asinh_formula>},
    {"aten::arcsinh", 7, hyperbolic<"Asinh", asinh_formula>},
    {"aten::acosh", 7, hyperbolic<"Acosh", acosh_formula>},
    {"aten::arccosh", 7, hyperbolic<"Acosh", acosh_formula>},
    {"aten::atanh", 7, hyperbolic<"Atanh", atanh_formula>},
    {"aten::arctanh", 7, hyperbolic<"Atanh", atanh_formula>},
    {"aten::sigmoid", 7, unary_formula<sigmoid>},
    {"aten::special_expit", 7, unary_formula<sigmoid>},
    {"aten::erf", 7, unary_formula<erf>},
    {"aten::special_erf", 7, unary_formula<erf>},
    {"aten::erfc", 7, full_unary_formula<erfc>},
    {"aten::special_erfc", 7, full_unary_formula<erfc>},
    {"aten::special_erfcx", 7, full_unary_formula<erfcx>},
    {"aten::sinc", 7, full_unary_formula<sinc>},
    {"aten::special_sinc", 7, full_unary_formula<sinc>},
    {"aten::special_entr", 9, full_unary_formula<entropy>},
    {"aten::logit", 7, rounded<logit>},
    {"aten::special_logit", 7, rounded<logit>},
    {"aten::ceil", 7, unary_formula<ceil_formula>},
    {"aten::floor", 7, unary_formula<floor_formula>},
    {"aten::trunc", 7, unary_formula<truncate>},
    {"aten::fix", 7, unary_formula<truncate>},
    {"aten::frac", 7, unary_formula<fraction>},
    {"aten::round", 7, rounded<round>},
    {"aten::special_round", 7, rounded<round>},
    {"aten::sign", 7, unary_formula<sign_formula>},
    {"aten::sgn", 7, unary_formula<sign_formula>},
    {"aten::angle", 9, unary_formula<angle>},
    {"aten::deg2rad", 7, unary_formula<radians>},
    {"aten::radians", 7, unary_formula<radians>},
    {"aten::rad2deg", 7, unary_formula<degrees>},
    {"aten::degrees", 7, unary_formula<degrees>},
    {"aten::isnan", 7, predicate<is_nan>},
    {"aten::isinf", 7, predicate<is_infinite>},
    {"aten::isfinite", 7, predicate<is_finite>},
    {"aten::isposinf", 7, predicate<is_positive_infinity>},
    {"aten::isneginf", 7, predicate<is_negative_infinity>},
    {"aten::signbit", 7, predicate<is_negative>},
    {"aten::logical_not", 7, predicate<logical_not>},
    {"aten::__not__", 7, predicate<logical_not>},
    {"aten::bitwise_not", 7, bitwise_not},
    {"aten::nan_to_num", 9, nan_to_num},
    {"_operator::abs", 7, unary_formula<abs_formula>},
    {"_operator::neg", 7, unary_formula<neg_formula>},
    {"torch::sym_not", 7, predicate<logical_not>},
};

}  // namespace

std::span<const Row> unary_rows() { return kUnaryRows; }

}  // namespace tonnx::lower
