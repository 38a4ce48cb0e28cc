#include "lower/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "lower/known.h"
#include "lower/loop.h"
#include "lower/power.h"

namespace tonnx::lower {
namespace {

bool is_floating(const Value* x) { return ir::is_floating(x->facts().dtype); }

bool is_power_of_two(double number) {
  int exponent = 0;
  return std::isfinite(number) && std::fabs(std::frexp(number, &exponent)) == 0.5;
}

}  // namespace

Value* highest(Builder& b, DType dtype) {
  if (ir::is_floating(dtype)) return b.scalar(dtype, kInfinity);
  if (dtype == DType::UInt64) throw Refusal("the largest uint64 has no ONNX form");
  const auto bits = static_cast<int>(ir::size_of(dtype)) * 8;
  if (dtype == DType::Bool) return b.scalar(dtype, std::int64_t{1});
  return b.scalar(dtype, ir::is_unsigned(dtype) ? (std::int64_t{1} << bits) - 1 : INT64_MAX >> (64 - bits));
}

Value* lowest(Builder& b, DType dtype) {
  if (ir::is_floating(dtype)) return b.scalar(dtype, -kInfinity);
  if (dtype == DType::Bool || ir::is_unsigned(dtype)) return b.scalar(dtype, std::int64_t{0});
  return b.scalar(dtype, INT64_MIN >> (64 - static_cast<int>(ir::size_of(dtype)) * 8));
}

double largest(DType dtype) {
  switch (dtype) {
    case DType::Float16: return 65504.0;
    case DType::BFloat16: return 3.3895313892515355e38;
    case DType::Float64: return std::numeric_limits<double>::max();
    default: return std::numeric_limits<float>::max();
  }
}

Value* equal(Builder& b, Value* x, Value* y) {
  if (b.opset() >= 11 || !is_floating(x)) return b.op("Equal", {x, y});
  // x + y is NaN if either is. It is also NaN for opposite infinities, but these differ.
  Value* differ = b.op("Or", {b.op("Less", {x, y}), b.op("Greater", {x, y})});
  return b.op("Not", {b.op("Or", {differ, is_nan(b, b.add(x, y))})});
}

Value* not_equal(Builder& b, Value* x, Value* y) { return b.op("Not", {equal(b, x, y)}); }

namespace {

// True if float64 represents each of these integers exactly, so that comparing them with other integers in float64 is
// correct.
bool has_doubles(const Value* x) {
  const auto known = known_integers(x);
  return known && std::ranges::all_of(*known, [](std::int64_t n) { return n >= -(1LL << 53) && n <= 1LL << 53; });
}

// Less of int64 below opset 9, which accepts floats only. If both round to the same float64, their difference is small
// and decides.
Value* less_of_longs(Builder& b, Value* x, Value* y) {
  Value* const left = b.cast(x, DType::Float64);
  Value* const right = b.cast(y, DType::Float64);
  Value* const below = b.op("Less", {left, right});
  if (has_doubles(x) || has_doubles(y)) return below;
  Value* const difference = b.cast(b.sub(x, y), DType::Float64);
  Value* const near = b.op(
      "And", {b.op("Less", {difference, b.scalar(DType::Float64, 0.0)}), b.op("Not", {b.op("Less", {right, left})})});
  return b.op("Or", {below, near});
}

}  // namespace

Value* less(Builder& b, Value* x, Value* y) {
  return b.opset() < 9 && x->facts().dtype == DType::Int64 ? less_of_longs(b, x, y) : b.op("Less", {x, y});
}
Value* greater(Builder& b, Value* x, Value* y) {
  return b.opset() < 9 && x->facts().dtype == DType::Int64 ? less_of_longs(b, y, x) : b.op("Greater", {x, y});
}

Value* less_equal(Builder& b, Value* x, Value* y) {
  if (b.opset() >= 12) return b.op("LessOrEqual", {x, y});
  if (!is_floating(x)) return b.op("Not", {greater(b, x, y)});
  return b.op("Or", {less(b, x, y), equal(b, x, y)});
}

Value* greater_equal(Builder& b, Value* x, Value* y) {
  if (b.opset() >= 12) return b.op("GreaterOrEqual", {x, y});
  if (!is_floating(x)) return b.op("Not", {less(b, x, y)});
  return b.op("Or", {greater(b, x, y), equal(b, x, y)});
}

Value* is_nan(Builder& b, Value* x) {
  if (!is_floating(x)) return b.op("Not", {equal(b, x, x)});
  if (b.opset() >= 9) return b.op("IsNaN", {x});
  Value* below = b.op("Less", {x, b.scalar_like(x, kInfinity)});
  return b.op("Not", {b.op("Or", {below, b.op("Greater", {x, b.scalar_like(x, -kInfinity)})})});
}

Value* is_infinite(Builder& b, Value* x) {
  if (!is_floating(x)) return b.op("Not", {equal(b, x, x)});
  if (b.opset() >= 10) {
    const DType dtype = x->facts().dtype;
    const bool narrow = dtype == DType::Float16 || dtype == DType::BFloat16;
    return b.op("IsInf", {narrow && b.opset() < 20 ? b.cast(x, DType::Float32) : x});
  }
  return b.op("Greater", {b.op("Abs", {x}), b.scalar_like(x, largest(x->facts().dtype))});
}

Value* is_finite(Builder& b, Value* x) {
  if (!is_floating(x)) return equal(b, x, x);
  return b.op("Less", {b.op("Abs", {x}), b.scalar_like(x, kInfinity)});
}

Value* is_zero(Builder& b, Value* x) {
  if (b.opset() >= 11) return equal(b, x, b.scalar_like(x, 0));
  const bool is_double = x->facts().dtype == DType::Float64;
  const double least = is_double ? std::numeric_limits<double>::denorm_min() : std::numeric_limits<float>::denorm_min();
  return less(b, b.op("Abs", {x}), b.scalar_like(x, least));
}

Value* is_negative(Builder& b, Value* x) {
  Value* below = less(b, x, b.scalar_like(x, 0));
  if (!is_floating(x)) return below;
  return b.op("Or", {below, less(b, b.op("Reciprocal", {x}), b.scalar_like(x, 0))});
}

namespace {

// True where x wins or is NaN: NaN always wins.
Value* or_nan(Builder& b, Value* wins, Value* x) { return is_floating(x) ? b.op("Or", {wins, is_nan(b, x)}) : wins; }

}  // namespace

bool confuses_halves(const Builder& b, const Value* x) {
  if (!b.avoids(ir::Defect::Int64Extremes)) return false;
  const auto dims = x->facts().fixed_dims();
  const bool is_one = dims && std::ranges::all_of(*dims, [](std::int64_t n) { return n == 1; });
  return x->facts().dtype == DType::Int64 && !is_one && may_be_long(x);
}

Value* maximum(Builder& b, Value* x, Value* y) {
  const bool apart = confuses_halves(b, x) || confuses_halves(b, y);
  if ((b.opset() >= 12 && !apart) || (b.opset() >= 8 && is_floating(x))) return b.op("Max", {x, y});
  return b.where(or_nan(b, greater(b, x, y), x), x, y);
}

Value* minimum(Builder& b, Value* x, Value* y) {
  const bool apart = confuses_halves(b, x) || confuses_halves(b, y);
  if ((b.opset() >= 12 && !apart) || (b.opset() >= 8 && is_floating(x))) return b.op("Min", {x, y});
  return b.where(or_nan(b, less(b, x, y), x), x, y);
}

Value* sign(Builder& b, Value* x) {
  if (b.opset() >= 9 && !confuses_halves(b, x)) return b.op("Sign", {x});
  const DType dtype = x->facts().dtype;
  Value* zero = b.scalar_like(x, 0);
  return b.sub(b.cast(greater(b, x, zero), dtype), b.cast(less(b, x, zero), dtype));
}

Value* truncate(Builder& b, Value* x) {
  if (!is_floating(x)) return x;
  if (b.opset() >= 9) return b.where(less(b, x, b.scalar_like(x, 0)), b.op("Ceil", {x}), b.op("Floor", {x}));
  return b.sub(b.op("Floor", {b.op("Relu", {x})}), b.op("Floor", {b.op("Relu", {b.op("Neg", {x})})}));
}

Value* round_half_even(Builder& b, Value* x) {
  if (!is_floating(x)) return x;
  if (b.opset() >= 11) return b.op("Round", {x});
  const DType dtype = x->facts().dtype;
  Value* half = b.scalar_like(x, 0.5);
  Value* floor = b.op("Floor", {x});
  Value* fraction = b.sub(x, floor);
  // Numbers at or above the bound are integers. Clipping keeps infinity out of the parity.
  const double bound = dtype == DType::Float16 ? 2048 : dtype == DType::Float64 ? 0x1p53 : 16777216;
  Value* bounded = b.clip(floor, -bound, bound);
  Value* is_odd = b.sub(bounded, b.mul(b.op("Floor", {b.mul(bounded, half)}), b.scalar_like(x, 2)));
  Value* tie = b.mul(b.cast(equal(b, fraction, half), dtype), is_odd);
  return b.add(floor, b.add(b.cast(greater(b, fraction, half), dtype), tie));
}

namespace {

// y in float64, clamped to finite numbers, so that x / y of a finite x keeps its sign instead of becoming 0.
Value* finite_divisor(Builder& b, Value* y) {
  const double large = y->facts().dtype == DType::Float64 ? largest(DType::Float64) : 1e300;
  const auto known = known_number(y);
  y = b.cast(y, DType::Float64);
  if (known && std::isfinite(*known)) return y;
  if (b.opset() >= 12) return b.clip(y, -large, large);
  return minimum(b, maximum(b, y, b.scalar_like(y, -large)), b.scalar_like(y, large));
}

// The rounding error of the product p of two float64 values: the product of their split halves is exact.
Value* product_error(Builder& b, Value* x, Value* y, Value* p) {
  const auto halves = [&](Value* v) {
    Value* shifted = b.mul(v, b.scalar_like(v, 0x1p27 + 1));
    Value* high = b.sub(shifted, b.sub(shifted, v));
    return std::pair(high, b.sub(v, high));
  };
  const auto [x_high, x_low] = halves(x);
  const auto [y_high, y_low] = halves(y);
  Value* crossed = b.add(b.mul(x_high, y_low), b.mul(x_low, y_high));
  return b.add(b.add(b.sub(b.mul(x_high, y_high), p), crossed), b.mul(x_low, y_low));
}

// The remainder of float64 magnitudes if the quotient is below 2^53. The rounded quotient may be one too large or too
// small. Numbers near the ends of the range are scaled first, so that no step overflows.
Value* rest_of_doubles(Builder& b, Value* size, Value* divisor) {
  const auto scale = [&](double bound, double factor, bool above, Value* other) {
    Value* const limit = b.scalar_like(size, bound);
    return b.where(above ? greater(b, size, limit) : less(b, size, limit), b.scalar_like(size, factor), other);
  };
  Value* const factor = scale(0x1p900, 0x1p-100, true, scale(0x1p-600, 0x1p400, false, b.scalar_like(size, 1)));
  Value* const x = b.mul(size, factor);
  Value* const y = b.mul(divisor, factor);
  Value* const quotient = b.op("Floor", {b.div(x, y)});
  Value* const product = b.mul(quotient, y);
  Value* rest = b.sub(b.sub(x, product), product_error(b, quotient, y, product));
  rest = b.where(less(b, rest, b.scalar_like(rest, 0)), b.add(rest, y), rest);
  rest = b.where(less(b, rest, y), rest, b.sub(rest, y));
  return b.where(less(b, size, divisor), size, b.div(rest, factor));
}

// fmod of float64 without the operator. If the quotient has more digits than float64, its upper digits are removed
// first, with the divisor times a power of two.
Value* fmod_of_doubles(Builder& b, Value* x, Value* y) {
  if (!known_number_beside(x, y)) b.broadcast(x, y);
  Value* const divisor = b.op("Abs", {y});
  const auto log2 = [&](Value* v) { return b.mul(b.op("Log", {v}), b.scalar_like(v, std::numbers::log2e)); };
  const auto pass = [&](Value*, const Values& state) {
    Value* const excess = b.op("Floor", {b.sub(b.sub(log2(state[0]), log2(divisor)), b.scalar_like(x, 50))});
    Value* const half = b.op("Floor", {b.mul(maximum(b, excess, b.scalar_like(x, 0)), b.scalar_like(x, 0.5))});
    Value* const factor = power(b, b.scalar_like(x, 2), half);
    Value* const rest = rest_of_doubles(b, state[0], b.mul(b.mul(divisor, factor), factor));
    Value* const open = b.op("Not", {less(b, rest, divisor)});
    Value* const left = b.op("And", {open, is_finite(b, rest)});
    Value* const count = b.reduce("ReduceSum", b.cast(left, DType::Int32), {}, false);
    return Pass{b.cast(count, DType::Bool), {rest}};
  };
  Value* const rest = loop(b, nullptr, nullptr, {b.op("Abs", {x})}, pass)[0];
  return b.where(is_negative(b, x), b.op("Neg", {rest}), rest);
}

}  // namespace

Value* integer_divisor(Builder& b, Value* x, Value* y) {
  if (!b.avoids(ir::Defect::EmptyDivision)) return y;
  const auto has = [](const Value* v, const auto& what) {
    return v->facts().has_rank() && std::ranges::any_of(*v->facts().dims, what);
  };
  const bool may_be_empty = has(x, [](const ir::Dim& dim) { return dim.size() <= 0; });  // -1: unknown
  const bool is_lone =
      y->facts().has_rank() && !has(y, [](const ir::Dim& dim) { return !dim.is_fixed() || dim.size() != 1; });
  if (!may_be_empty || !is_lone || is_floating(x) || known_number(y)) return y;
  return b.where(equal(b, y, b.scalar_like(y, 0)), b.scalar_like(y, 1), y);
}

Value* fmod(Builder& b, Value* x, Value* y) {
  const DType dtype = x->facts().dtype;
  y = integer_divisor(b, x, y);
  const bool rounds = dtype == DType::Int64 && b.avoids(ir::Defect::IntegerRemainderRounding);
  if (b.opset() >= 10 && !rounds) return b.op("Mod", {x, y}, {{"fmod", std::int64_t{1}}});
  if (dtype == DType::Float64) return fmod_of_doubles(b, x, y);
  if (is_floating(x)) {
    x = b.cast(x, DType::Float64);
    y = finite_divisor(b, y);
  }
  return b.cast(b.sub(x, b.mul(truncate(b, b.div(x, y)), y)), dtype);
}

Value* remainder(Builder& b, Value* x, Value* y) {
  if (!is_floating(x)) {
    y = integer_divisor(b, x, y);
    if (b.opset() >= 10) return b.op("Mod", {x, y});
    return b.sub(x, b.mul(floor_divide(b, x, y), y));
  }
  if (b.opset() < 10 && x->facts().dtype != DType::Float64) {
    Value* wide = b.cast(x, DType::Float64);
    Value* divisor = finite_divisor(b, y);
    Value* whole = b.mul(b.op("Floor", {b.div(wide, divisor)}), divisor);
    return b.cast(b.sub(wide, whole), x->facts().dtype);
  }
  Value* rest = fmod(b, x, y);
  Value* zero = b.scalar_like(x, 0);
  Value* wrong_sign = nullptr;
  if (const auto divisor = known_number(y)) {
    wrong_sign = *divisor < 0 ? greater(b, rest, zero) : less(b, rest, zero);
  } else {
    wrong_sign = less(b, b.mul(sign(b, rest), sign(b, y)), zero);
  }
  return b.where(wrong_sign, b.add(rest, y), rest);
}

namespace {

// No step overflows the dtype. x - Mod(x, y) may: -127 - 3 does in int8 for y = 10. That form is used only for numbers
// far from the ends of the range, such as sizes, and for powers of two, which divide the least number.
Value* floor_divide_integers(Builder& b, Value* x, Value* y) {
  const DType dtype = x->facts().dtype;
  if (dtype == DType::UInt8) return b.div(x, y);
  if (ir::size_of(dtype) < 8) {
    const DType wider = ir::size_of(dtype) < 4 ? DType::Int32 : DType::Int64;
    return b.cast(floor_divide_integers(b, b.cast(x, wider), b.cast(y, wider)), dtype);
  }
  const auto divisor = known_number(y);
  if (b.opset() >= 10 && divisor && *divisor > 0 && *divisor < 0x1p62 && (is_power_of_two(*divisor) || !may_be_long(x)))
    return b.div(b.sub(x, b.op("Mod", {x, y})), y);
  Value* quotient = b.div(x, y);
  Value* product = b.mul(quotient, y);
  if (divisor) return b.sub(quotient, b.cast(*divisor > 0 ? greater(b, product, x) : less(b, product, x), dtype));
  Value* zero = b.scalar_like(x, 0);
  Value* rest = b.sub(x, product);
  Value* opposite = b.op("Xor", {less(b, rest, zero), less(b, y, zero)});
  return b.sub(quotient, b.cast(b.op("And", {not_equal(b, rest, zero), opposite}), dtype));
}

}  // namespace

// For an infinite x LibTorch returns NaN, but for y = 0 the quotient itself. For an infinite y it returns the floor of
// a quotient very close to 0: -1 if the signs differ.
Value* floor_divide(Builder& b, Value* x, Value* y) {
  if (!is_floating(x)) return floor_divide_integers(b, x, integer_divisor(b, x, y));
  const DType dtype = x->facts().dtype;
  const auto divisor = known_number(y);
  if (divisor == 0) return b.div(x, y);
  Value* const given = y;
  const auto unless_infinite = [&](Value* quotient) {
    quotient = b.sub(quotient, b.sub(x, x));  // preserves the sign of a zero, unlike a sum
    return divisor ? quotient : b.where(is_zero(b, given), b.div(x, given), quotient);
  };
  if (divisor && is_power_of_two(*divisor)) return unless_infinite(b.op("Floor", {b.div(x, y)}));
  // The quotient of two float32 values may round up to an integer (1 / 0.1 is 10); in float64 it never does.
  if (dtype != DType::Float64) {
    Value* quotient = b.div(b.cast(x, DType::Float64), finite_divisor(b, y));
    return unless_infinite(b.cast(b.op("Floor", {quotient}), dtype));
  }
  y = finite_divisor(b, y);
  Value* quotient = b.div(x, y);
  Value* whole = round_half_even(b, b.div(b.sub(x, remainder(b, x, y)), y));
  // A quotient of 0 has the sign of x / y. ONNX Runtime's Where preserves the sign of a zero only in its last input.
  whole = b.where(greater(b, b.op("Abs", {whole}), b.scalar_like(whole, 0)), whole,
                  b.mul(quotient, b.scalar_like(quotient, 0)));
  if (divisor && *divisor != 0) return whole;
  return b.where(is_zero(b, y), quotient, whole);
}

Value* lerp(Builder& b, Value* start, Value* end, Value* weight) {
  Value* const step = b.sub(end, start);
  Value* const from_end = b.sub(weight, b.scalar_like(start, 1));
  if (const auto known = known_number(weight))
    return std::fabs(*known) < 0.5 ? b.add(start, b.mul(step, weight)) : b.add(end, b.mul(step, from_end));
  Value* const near = less(b, b.op("Abs", {weight}), b.scalar_like(start, 0.5));
  return b.add(b.where(near, start, end), b.mul(b.where(near, weight, from_end), step));
}

Value* expm1(Builder& b, Value* x) {
  // tanh(x / 2) * (exp(x) + 1)
  Value* tanh = b.op("Tanh", {b.mul(x, b.scalar_like(x, 0.5))});
  return b.mul(tanh, b.add(b.op("Exp", {x}), b.scalar_like(x, 1)));
}

Value* log1p(Builder& b, Value* x) {
  Value* one = b.scalar_like(x, 1);
  Value* sum = b.add(x, one);
  Value* plain = b.op("Log", {sum});
  if (x->facts().dtype == DType::Float64) {
    // The rounding error of the sum changes its logarithm as much as the sum itself.
    Value* back = b.sub(sum, one);
    Value* exact = b.where(equal(b, back, b.scalar_like(x, 0)), x, b.mul(plain, b.div(x, back)));
    return b.where(less(b, b.op("Abs", {x}), b.scalar_like(x, 0.5)), exact, plain);
  }
  if (b.opset() < 9) {
    // The sum s = 1 + x has the rounding error (s - 1) - x, which changes log(s) by ((s - 1) - x) / s. It is negligible
    // far from 0.
    Value* close = b.clip(x, -0.999, 1);
    Value* close_sum = b.add(close, one);
    return b.sub(plain, b.div(b.sub(b.sub(close_sum, one), close), close_sum));
  }
  // 2 * atanh(x / (x + 2)) where 1 + x rounds off digits of x
  Value* two = b.scalar_like(x, 2);
  Value* near = b.mul(b.op("Atanh", {b.div(x, b.add(x, two))}), two);
  return b.where(less(b, b.op("Abs", {x}), b.scalar_like(x, 0.5)), near, plain);
}

Value* softplus(Builder& b, Value* x) {
  if (b.serves("Softplus", x)) return b.op("Softplus", {x});
  Value* decay = b.op("Exp", {b.op("Neg", {b.op("Abs", {x})})});
  return b.add(b.op("Relu", {x}), log1p(b, decay));
}

}  // namespace tonnx::lower
