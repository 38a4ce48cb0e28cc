#include <cmath>
#include <numbers>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/formula.h"
#include "lower/known.h"
#include "lower/missing.h"
#include "lower/power.h"
#include "lower/special.h"

namespace tonnx::lower {
namespace {

// x * factor; x itself if the factor is the constant 1.
Value* scaled(Op& op, Value* x, std::string_view factor) {
  if (!op.has(factor)) return x;
  Value* number = op.scalar(factor, x->facts().dtype);
  return known_number(number) == 1.0 ? x : op->mul(x, number);
}

Outputs add(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  return op->add(operand(op, 0, dtype), scaled(op, operand(op, 1, dtype), "alpha"));
}

Outputs sub(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  return op->sub(operand(op, 0, dtype), scaled(op, operand(op, 1, dtype), "alpha"));
}

// aten::_add_relu: the sum, clamped between 0 and the largest finite number
Outputs add_relu(Op& op) {
  Builder& b = op.builder();
  Value* sum = add(op).items.at(0).one;
  Value* positive = maximum(b, sum, b.scalar_like(sum, 0));
  const DType dtype = sum->facts().dtype;
  return ir::is_floating(dtype) ? minimum(b, positive, b.scalar_like(sum, largest(dtype))) : positive;
}

Outputs rsub(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  return op->sub(operand(op, 1, dtype), scaled(op, operand(op, 0, dtype), "alpha"));
}

Value* multiply(Builder& b, Value* x, Value* y) {
  return x->facts().dtype == DType::Bool ? b.op("And", {x, y}) : b.mul(x, y);
}

// True if the division may compute INT64_MIN / -1. LibTorch returns a result; the target may end the process.
bool may_end_process(const Builder& b, const Value* x, const Value* y) {
  if (!b.avoids(ir::Defect::DivisionOverflow)) return false;
  const DType dtype = x->facts().dtype;
  const auto known = known_number(y);
  return (dtype == DType::Int64 || dtype == DType::Int32) && (!known || *known == -1);
}

bool are_numbers(const Op& op) {
  return op.node().input(0)->type().is_scalar() && op.node().input(1)->type().is_scalar();
}

Value* is_minus_one(Builder& b, Value* y) { return equal(b, y, b.scalar_like(y, -1)); }

// x / -1 and x / 1 have the same remainder.
template <Value* (*Formula)(Builder&, Value*, Value*)>
Value* rest_by(Builder& b, Value* x, Value* y) {
  if (may_end_process(b, x, y)) y = b.where(is_minus_one(b, y), b.scalar_like(y, 1), y);
  return Formula(b, x, y);
}

template <Value* (*Formula)(Builder&, Value*, Value*)>
Outputs rest(Op& op) {
  return are_numbers(op) ? full_binary_formula<Formula>(op) : full_binary_formula<rest_by<Formula>>(op);
}

Value* floor_divide_tensors(Builder& b, Value* x, Value* y) {
  // Narrower integers are divided in int64, which cannot overflow.
  if (x->facts().dtype != DType::Int64 || !may_end_process(b, x, y)) return floor_divide(b, x, y);
  Value* negates = is_minus_one(b, y);
  Value* quotient = floor_divide(b, x, b.where(negates, b.scalar_like(y, 1), y));
  return b.where(negates, b.op("Neg", {x}), quotient);
}

// Quotient rounded towards zero; equals the quotient for integers.
Value* truncated_divide(Builder& b, Value* x, Value* y) { return truncate(b, b.div(x, integer_divisor(b, x, y))); }

// The same for float32 values that represent half precision: each step is rounded to half precision.
Term truncated_divide_in_steps(Term x, Term y, DType half) {
  return x.with(truncate(x.builder(), (x / y).cast(half).cast(DType::Float32).value()));
}

Term floor_divide_in_steps(Term x, Term y, DType half) {
  const auto rounded = [&](Term v) { return v.cast(half).cast(DType::Float32); };
  const Term rest = x.with(fmod(x.builder(), x.value(), y.value())), quotient = x / y;
  Term steps = rounded(rounded(x - rest) / y);
  const Term opposite = (rest < 0 && y > 0) || (rest > 0 && y < 0);
  steps = rounded(where(opposite, steps - 1, steps));
  Term whole = floor(steps);
  whole = where(rounded(steps - whole) > 0.5, whole + 1, whole);
  // ONNX Runtime's Where preserves the sign of a zero only in its last input.
  return where(y.with(is_zero(y.builder(), y.value())), quotient, where(abs(steps) > 0, whole, quotient * 0));
}

bool is_half(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16; }

// True if an operand has one element, so that LibTorch divides as by a scalar. nullopt if that is known only at run
// time.
std::optional<bool> is_lone(const ir::Value* source, const Value* y) {
  if (source->type().is_scalar()) return true;
  if (!y->facts().has_rank()) return std::nullopt;
  bool known = true;
  for (const ir::Dim& dim : *y->facts().dims) {
    if (!dim.is_fixed())
      known = false;
    else if (dim.size() != 1)
      return false;
  }
  return known ? std::optional(true) : std::nullopt;
}

// A rounded quotient. LibTorch does not round a scalar divisor to the half precision of x, but it rounds each step of a
// division by a half-precision tensor.
template <Value* (*Formula)(Builder&, Value*, Value*), Term (*InSteps)(Term, Term, DType)>
Outputs whole_quotient(Op& op) {
  Builder& b = op.builder();
  const DType dtype = compute_dtype(op, {0, 1});
  Value* x = in_full_precision(b, operand(op, 0, dtype));
  Value* y = operand(op, 1, op.dtype_of(x));
  const std::optional<bool> lone = is_half(dtype) ? is_lone(op.node().input(1), y) : true;
  Value* by_number = lone == false ? nullptr : b.cast(Formula(b, x, y), dtype);
  if (lone == true) return by_number;
  const Term steps = InSteps({b, x}, {b, in_full_precision(b, b.cast(y, dtype))}, dtype).cast(dtype);
  if (lone == false) return steps.value();
  const Term count{b, b.op("Size", {y})};
  return b.where((count == 1).value(), by_number, steps.value());
}
Outputs floored_quotient(Op& op) {
  return are_numbers(op) ? whole_quotient<floor_divide, floor_divide_in_steps>(op)
                         : whole_quotient<floor_divide_tensors, floor_divide_in_steps>(op);
}
constexpr auto truncated_quotient = whole_quotient<truncated_divide, truncated_divide_in_steps>;

// aten::floordiv of Python scalars: the floor of the rounded quotient, so 2 // 0.1 is 20. For tensors it is 19.
Outputs floor_divide_numbers(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  Value* x = operand(op, 0, dtype);
  Value* y = operand(op, 1, dtype);
  return ir::is_floating(dtype) ? op->op("Floor", {op->div(x, y)}) : floor_divide(op.builder(), x, y);
}

// aten::div: true division unless rounding_mode is specified
Outputs div(Op& op) {
  if (op.has("rounding_mode") && !op.is_none("rounding_mode")) {
    const std::string mode = op.text("rounding_mode");
    if (mode == "floor") return floored_quotient(op);
    if (mode == "trunc") return truncated_quotient(op);
    op.refuse_argument("rounding_mode", "must be floor or trunc");
  }
  const DType dtype = compute_dtype(op, {0, 1});
  const DType quotient = ir::is_floating(dtype) || ir::is_complex(dtype) ? dtype : DType::Float32;
  return op->div(operand(op, 0, quotient), operand(op, 1, quotient));
}

// aten::pow of two ints in a script: returns int or float, as the overload declares
Outputs pow(Op& op) {
  const ir::Value *base = op.node().input(0), *exponent = op.node().input(1);
  const bool is_by_number =
      base->type().is(ir::Type::Kind::Tensor) && exponent->type().is_scalar() && exponent->constant();
  if (is_by_number && !ir::is_floating(compute_dtype(op, {0, 1})) && exponent->constant()->as_double() < 0)
    op.refuse_argument("exponent", "is negative; integers have no negative powers");
  return binary_formula<power>(op);
}

Value* maximum_ignoring_nan(Builder& b, Value* x, Value* y) {
  if (!ir::is_floating(x->facts().dtype)) return maximum(b, x, y);
  return b.where(is_nan(b, x), y, b.where(is_nan(b, y), x, maximum(b, x, y)));
}

Value* minimum_ignoring_nan(Builder& b, Value* x, Value* y) {
  if (!ir::is_floating(x->facts().dtype)) return minimum(b, x, y);
  return b.where(is_nan(b, x), y, b.where(is_nan(b, y), x, minimum(b, x, y)));
}

Value* any_maximum(Builder& b, Value* x, Value* y) {
  return x->facts().dtype == DType::Bool ? b.op("Or", {x, y}) : maximum(b, x, y);
}

Value* any_minimum(Builder& b, Value* x, Value* y) {
  return x->facts().dtype == DType::Bool ? b.op("And", {x, y}) : minimum(b, x, y);
}

// aten::clamp, clamp_min, clamp_max, clip: a bound is None, a scalar or a tensor. If min > max, the result is max. A
// NaN scalar bound makes the result NaN only if the other bound is specified too.
Outputs clamp(Op& op) {
  Builder& b = op.builder();
  const DType dtype = op.result_dtype();
  Value* x = operand(op, 0, dtype);
  const auto bound = [&](std::string_view name) -> const ir::Value* {
    return op.has(name) && !op.is_none(name) ? op.source(name) : nullptr;
  };
  const ir::Value* low = bound("min");
  const ir::Value* high = bound("max");
  const auto is_number = [](const ir::Value* v) { return !v || (v->type().is_scalar() && v->constant()); };
  const bool is_single = ir::is_floating(dtype) && b.serves("Clip", x);
  const auto is_rank_zero = [](const ir::Value* v) {
    return !v || v->type().is_scalar() || (v->facts().has_rank() && v->facts().rank() == 0);
  };
  const auto is_known = [&](const ir::Value* v) { return v && v->constant() && is_rank_zero(v); };
  const bool crossed = is_known(low) && is_known(high) && low->constant()->as_double() > high->constant()->as_double();
  const bool clips = (op.opset() >= 12 && !confuses_halves(b, x)) ||
                     (is_single && (op.opset() >= 11 || (is_number(low) && is_number(high))));
  const auto is_nan = [&](const ir::Value* v) { return is_known(v) && std::isnan(v->constant()->as_double()); };
  const bool is_lone = op.has("min") && op.has("max") && !(low && high);
  const auto counts_for_nothing = [&](const ir::Value* v) { return is_nan(v) && v->type().is_scalar(); };
  if (is_lone && (counts_for_nothing(low) || counts_for_nothing(high))) return b.op("Identity", {x});
  const bool stays_infinite = ir::is_floating(dtype) && op.opset() >= 11 && !(low && high);
  // Clip is used for a scalar bound that is an integer in the program or cannot be NaN.
  const auto may_be_nan = [&](const ir::Value* v, std::string_view name) {
    return v && !v->constant() && ir::is_floating(dtype) && !v->type().is(ir::Type::Kind::Int) &&
           may_hold_nan(op.builder(), operand(op, name, dtype));
  };
  const bool open_low = may_be_nan(low, "min");
  const bool open_high = may_be_nan(high, "max");
  if (clips && !stays_infinite && !open_low && !open_high && !is_nan(low) && !is_nan(high) &&
      !(crossed && op.opset() < 12) && is_rank_zero(low) && is_rank_zero(high)) {
    if (op.opset() < 11)
      return b.clip(x, low ? std::optional(low->constant()->as_double()) : std::nullopt,
                    high ? std::optional(high->constant()->as_double()) : std::nullopt);
    return b.op("Clip", {x, low ? operand(op, "min", dtype) : nullptr, high ? operand(op, "max", dtype) : nullptr});
  }
  Value* clamped = x;
  if (low) clamped = maximum(b, clamped, operand(op, "min", dtype));
  if (high) clamped = minimum(b, clamped, operand(op, "max", dtype));
  if (!is_lone || !(open_low || open_high) || !(low ? low : high)->type().is_scalar()) return clamped;
  return b.where(lower::is_nan(b, operand(op, low ? "min" : "max", dtype)), x, clamped);
}

// self + value * tensor1 * tensor2, or self + value * tensor1 / tensor2
template <bool Divide>
Outputs add_product(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1, 2});
  Value* first = scaled(op, operand(op, "tensor1", dtype), "value");
  Value* second = operand(op, "tensor2", dtype);
  return op->add(operand(op, "self", dtype), Divide ? op->div(first, second) : op->mul(first, second));
}

Outputs lerp_of(Op& op) {
  Builder& b = op.builder();
  const DType dtype = compute_dtype(op, {0, 1});
  Value* start = in_full_precision(b, operand(op, "self", dtype));
  Value* end = in_full_precision(b, operand(op, "end", dtype));
  return lerp(b, start, end, operand(op, "weight", start->facts().dtype));
}

// Computed in float64, where squares of float32 neither overflow nor underflow. For float64, both operands are divided
// by the larger one first. If one operand is infinite, a NaN in the other is ignored.
Value* hypotenuse(Builder& b, Value* x, Value* y) {
  const DType dtype = x->facts().dtype;
  x = b.op("Abs", {b.cast(x, DType::Float64)});
  y = b.op("Abs", {b.cast(y, DType::Float64)});
  const auto root = [&](Value* p, Value* q) { return b.op("Sqrt", {b.add(b.mul(p, p), b.mul(q, q))}); };
  Value* infinity = b.scalar_like(x, kInfinity);
  Value* infinite = b.op("Or", {equal(b, x, infinity), equal(b, y, infinity)});
  Value* length = nullptr;
  if (dtype == DType::Float64) {
    Value* larger = maximum(b, x, y);
    Value* unit = b.where(equal(b, larger, b.scalar_like(x, 0)), b.scalar_like(x, 1), larger);
    length = b.mul(larger, root(b.div(x, unit), b.div(y, unit)));
  } else {
    length = root(x, y);
  }
  return b.cast(b.where(infinite, infinity, length), dtype);
}

Value* copy_sign(Builder& b, Value* x, Value* y) {
  Value* magnitude = b.op("Abs", {x});
  return b.where(is_negative(b, y), b.op("Neg", {magnitude}), magnitude);
}

// x * log(y), 0 where x is 0 unless y is NaN
template <bool PlusOne>
Value* x_log_y(Builder& b, Value* x, Value* y) {
  Value* zero = b.scalar_like(x, 0);
  Value* product = b.mul(x, PlusOne ? log1p(b, y) : b.op("Log", {y}));
  return b.where(b.op("And", {equal(b, x, zero), b.op("Not", {is_nan(b, y)})}), zero, product);
}

// log(exp(x) + exp(y)), or with base 2
template <bool BaseTwo>
Value* log_add_exp(Builder& b, Value* x, Value* y) {
  Value* distance = b.op("Neg", {b.op("Abs", {b.sub(x, y)})});
  Value* base = b.scalar_like(x, std::numbers::ln2);
  Value* rest = BaseTwo ? b.div(softplus(b, b.mul(distance, base)), base) : softplus(b, distance);
  return b.where(b.op("And", {is_infinite(b, x), equal(b, x, y)}), x, b.add(maximum(b, x, y), rest));
}

// The number of digits after the first one, and the exponent of the smallest normal number.
struct Precision {
  int digits, least;
};
Precision precision_of(DType dtype) {
  if (dtype == DType::Float16) return {10, -14};
  if (dtype == DType::BFloat16) return {7, -126};
  return dtype == DType::Float64 ? Precision{52, -1022} : Precision{23, -126};
}

// aten::nextafter: moves x by a little more than half the distance to the next number, in float64, and rounds. Small
// float64 values are scaled first, so that the step is exact.
Outputs next_after(Op& op) {
  Builder& b = op.builder();
  const DType dtype = compute_dtype(op, {0, 1});
  const auto [digits, least] = precision_of(dtype);
  const Term given{b, operand(op, 0, dtype)}, other{b, operand(op, 1, dtype)};
  const Term x = given.cast(DType::Float64), y = other.cast(DType::Float64);
  const auto moved_by = [&](Term from, Term step) { return where(y > x, from + step, from - step); };
  const double share = std::ldexp(1.0, -digits - 1) * (1 + std::ldexp(1.0, -std::min(digits - 1, 22)));
  const auto moved_within = [&](Term from) { return moved_by(from, abs(from) * share); };
  Term moved = moved_within(x);
  if (dtype == DType::Float64) moved = where(abs(x) < 0x1p-900, moved_within(x * 0x1p100) * 0x1p-100, moved);
  const double normal = std::ldexp(1.0, least);
  const Term subnormal = dtype == DType::Float64 ? abs(x) <= normal : abs(x) < normal;
  moved = where(subnormal, moved_by(x, x.number(std::ldexp(1.0, least - digits))), moved);
  const Term largest = where(x > 0, x.number(lower::largest(dtype)), x.number(-lower::largest(dtype)));
  const Term result = where(x.with(is_infinite(b, x.value())), largest, moved);
  const Term undefined = x + y;
  return b.cast(
      where(x == y, y,
            where(undefined.with(is_nan(b, x.value())) || undefined.with(is_nan(b, y.value())), undefined, result))
          .value(),
      dtype);
}

Value* heaviside(Builder& b, Value* x, Value* values) {
  Value* zero = b.scalar_like(x, 0);
  return b.where(equal(b, x, zero), values, b.cast(greater(b, x, zero), x->facts().dtype));
}

template <OperatorName Name>
Outputs logical(Op& op) {
  return op->op(Name, {operand(op, 0, DType::Bool), operand(op, 1, DType::Bool)});
}

Outputs where(Op& op) {
  const DType dtype = compute_dtype(op, {1, 2});
  Value* condition = operand(op, 0, DType::Bool);
  return op->where(condition, operand(op, 1, dtype), operand(op, 2, dtype));
}

constexpr Row kArithmeticRows[] = {
    {"aten::add", 7, add},
    {"aten::_add_relu", 7, add_relu},
    {"aten::sub", 7, sub},
    {"aten::subtract", 7, sub},
    {"aten::rsub", 7, rsub},
    {"aten::mul", 7, binary_formula<multiply>},
    {"aten::multiply", 7, binary_formula<multiply>},
    {"aten::div", 7, div},
    {"aten::divide", 7, div},
    {"aten::true_divide", 7, div},
    {"aten::floor_divide", 7, floored_quotient},
    {"aten::_floor_divide", 7, floored_quotient},
    {"aten::floordiv", 7, floor_divide_numbers},
    {"aten::__round_to_zero_floordiv", 7, truncated_quotient},
    {"aten::remainder", 7, rest<remainder>},
    {"aten::fmod", 7, rest<fmod>},
    {"aten::pow", 7, pow},
    {"aten::float_power", 7, pow},
    {"aten::maximum", 7, binary_formula<any_maximum>},
    {"aten::max.other", 7, binary_formula<any_maximum>},
    {"aten::fmax", 7, binary_formula<maximum_ignoring_nan>},
    {"aten::minimum", 7, binary_formula<any_minimum>},
    {"aten::min.other", 7, binary_formula<any_minimum>},
    {"aten::fmin", 7, binary_formula<minimum_ignoring_nan>},
    {"aten::clamp", 7, clamp},
    {"aten::clamp_min", 7, clamp},
    {"aten::clamp_max", 7, clamp},
    {"aten::clip", 7, clamp},
    {"aten::addcmul", 7, add_product<false>},
    {"aten::addcdiv", 7, add_product<true>},
    {"aten::lerp", 7, rounded<lerp_of>},
    {"aten::atan2", 7, full_binary_formula<atan2>},
    {"aten::arctan2", 7, full_binary_formula<atan2>},
    {"aten::hypot", 7, full_binary_formula<hypotenuse>},
    {"aten::copysign", 7, binary_formula<copy_sign>},
    {"aten::xlogy", 9, full_binary_formula<x_log_y<false>>},
    {"aten::special_xlogy", 9, full_binary_formula<x_log_y<false>>},
    {"aten::special_xlog1py", 9, full_binary_formula<x_log_y<true>>},
    {"aten::logaddexp", 9, full_binary_formula<log_add_exp<false>>},
    {"aten::logaddexp2", 9, full_binary_formula<log_add_exp<true>>},
    {"aten::nextafter", 9, next_after},
    {"aten::heaviside", 7, binary_formula<heaviside>},
    {"aten::logical_and", 7, logical<"And">},
    {"aten::logical_or", 7, logical<"Or">},
    {"aten::logical_xor", 7, logical<"Xor">},
    {"aten::where.self", 7, where},
    {"aten::where.ScalarSelf", 7, where},
    {"aten::where.ScalarOther", 7, where},
    {"aten::where.Scalar", 7, where},
    {"_operator::add", 7, add},
    {"_operator::sub", 7, sub},
    {"_operator::mul", 7, binary_formula<multiply>},
    {"_operator::floordiv", 7, floored_quotient},
    {"_operator::mod", 7, rest<remainder>},
    {"_operator::pow", 7, pow},
    {"torch::sym_ite", 7, where},
};

}  // namespace

std::span<const Row> arithmetic_rows() { return kArithmeticRows; }

}  // namespace tonnx::lower
