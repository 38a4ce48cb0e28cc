#include <algorithm>
#include <string>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/known.h"
#include "lower/loop.h"
#include "lower/power.h"
#include "lower/promotion.h"

// Bitwise operators on integers and bools: and, or, xor, shifts.
namespace tonnx::lower {
namespace {

std::int64_t bits_of(DType dtype) { return static_cast<std::int64_t>(ir::size_of(dtype)) * 8; }

// Combines two bits, each 0 or 1.
Term combined(std::string_view name, Term x, Term y) {
  if (name == "And") return x * y;
  return name == "Or" ? x + y - x * y : abs(x - y);
}

// Combines one bit of all elements at a time, from the lowest. The bits of a negative x are those of -1 - x, inverted.
// The bits above the highest one are the sign.
Value* bit_by_bit(Op& op, std::string_view name, Value* given_x, Value* given_y) {
  Builder& b = op.builder();
  const DType dtype = op.dtype_of(given_x);
  if (dtype == DType::UInt64) op.needs_opset(18, "a bitwise operation on uint64");
  const std::int64_t count = std::min<std::int64_t>(bits_of(dtype), 63);
  struct Bits {
    Term negative, rest;
  };
  const auto bits = [&](Value* v) -> Bits {
    const Term x{b, b.cast(v, DType::Int64)};
    const Term negative = x < 0;
    return {negative.cast(DType::Int64), where(negative, -1 - x, x)};
  };
  const Bits x = bits(given_x), y = bits(given_y);
  const Term none = (x.rest + y.rest) * 0;
  const auto pass = [&](Value*, const Values& state) -> Pass {
    const Term p{b, state[0]}, q{b, state[1]}, sum{b, state[2]}, weight{b, state[3]};
    const Term half_p = p / 2, half_q = q / 2;
    const Term bit = combined(name, abs(x.negative - (p - half_p * 2)), abs(y.negative - (q - half_q * 2)));
    return {nullptr, {half_p.value(), half_q.value(), (sum + bit * weight).value(), (weight * 2).value()}};
  };
  const Values ends =
      loop(b, b.int64(count), nullptr, {x.rest.value(), y.rest.value(), none.value(), b.int64(1)}, pass);
  const Term sign = combined(name, x.negative, y.negative);
  return b.cast((Term{b, ends[2]} - sign * Term{b, ends[3]}).value(), dtype);
}

template <OperatorName Name>
Outputs bitwise(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  if (ir::is_floating(dtype)) op.refuse("it accepts integers and bools, not " + std::string(ir::name_of(dtype)));
  Value* x = operand(op, 0, dtype);
  Value* y = operand(op, 1, dtype);
  if (dtype == DType::Bool) return op->op(Name, {x, y});
  if (op.opset() < 18) return bit_by_bit(op, Name, x, y);
  return op->op("Bitwise" + std::string(std::string_view(Name)), {x, y});
}

// x << n is x * 2^n. A count out of range yields 0, as in LibTorch.
Value* shift_left(Builder& b, Value* x, Value* count) {
  const DType dtype = x->facts().dtype;
  if (const auto n = known_number_beside(x, count)) {
    if (*n < 0 || *n >= static_cast<double>(bits_of(dtype))) return b.mul(x, b.scalar_like(x, 0));
    return b.mul(x, b.scalar(dtype, static_cast<std::int64_t>(std::uint64_t{1} << static_cast<int>(*n))));
  }
  Value* wide = b.cast(count, DType::Int64);
  Value* outside = b.op("Or", {less(b, wide, b.int64(0)), b.op("Not", {less(b, wide, b.int64(bits_of(dtype)))})});
  Value* safe = b.where(outside, b.int64(0), wide);
  Value* factor = b.cast(power(b, b.scalar(DType::Float64, 2.0), b.cast(safe, DType::Float64)), DType::Int64);
  return b.cast(b.mul(b.cast(x, DType::Int64), b.where(outside, b.int64(0), factor)), dtype);
}

// x >> n is the floor of x / 2^n. A count out of range yields the sign (0 or -1).
Value* shift_right(Builder& b, Value* x, Value* count) {
  const DType dtype = x->facts().dtype;
  Value* sign_bit = b.sub(b.scalar(DType::Int64, std::int64_t{0}),
                          b.cast(less(b, x, b.scalar(dtype, std::int64_t{0})), DType::Int64));
  const std::int64_t last = std::min<std::int64_t>(bits_of(dtype), 63) - 1;
  if (const auto n = known_number_beside(x, count)) {
    if (*n < 0 || *n > static_cast<double>(last)) return b.cast(sign_bit, dtype);
    Value* divisor = b.int64(std::int64_t{1} << static_cast<int>(*n));
    return b.cast(floor_divide(b, b.cast(x, DType::Int64), divisor), dtype);
  }
  Value* wide = b.cast(count, DType::Int64);
  Value* outside = b.op("Or", {less(b, wide, b.int64(0)), less(b, b.int64(last), wide)});
  Value* safe = b.where(outside, b.int64(0), wide);
  Value* divisor = b.cast(power(b, b.scalar(DType::Float64, 2.0), b.cast(safe, DType::Float64)), DType::Int64);
  return b.cast(b.where(outside, sign_bit, floor_divide(b, b.cast(x, DType::Int64), divisor)), dtype);
}

// For scalars LibTorch uses the processor's shift, which reads the last six bits of the count.
Value* count_of_numbers(Builder& b, Value* count) {
  const auto known = known_number(count);
  return known ? b.int64(static_cast<std::int64_t>(*known) & 63) : remainder(b, count, b.int64(64));
}

// The operators << and >> on floats multiply by a power of two.
template <bool Left>
Outputs shift(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  Value* x = operand(op, 0, dtype);
  Value* count = operand(op, 1, dtype);
  const bool are_numbers = op.node().input(0)->type().is_scalar() && op.node().input(1)->type().is_scalar();
  if (are_numbers && dtype == DType::Int64) count = count_of_numbers(op.builder(), count);
  if (ir::is_floating(dtype)) {
    Value* factor = op->op("Pow", {op->scalar_like(x, 2), count});
    return Left ? op->mul(x, factor) : op->div(x, factor);
  }
  return Left ? shift_left(op.builder(), x, count) : shift_right(op.builder(), x, count);
}

// The named operators, which do not accept floats.
template <bool Left>
Outputs shift_bits(Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  if (ir::is_floating(dtype)) op.refuse("it accepts integers, not " + std::string(ir::name_of(dtype)));
  return shift<Left>(op);
}

constexpr Row kBitsRows[] = {
    {"aten::bitwise_and", 7, bitwise<"And">},
    {"aten::bitwise_or", 7, bitwise<"Or">},
    {"aten::bitwise_xor", 7, bitwise<"Xor">},
    {"aten::__and__", 7, bitwise<"And">},
    {"aten::__or__", 7, bitwise<"Or">},
    {"aten::__xor__", 7, bitwise<"Xor">},
    {"aten::bitwise_left_shift", 7, shift_bits<true>},
    {"aten::bitwise_right_shift", 7, shift_bits<false>},
    {"aten::__lshift__", 7, shift<true>},
    {"aten::__rshift__", 7, shift<false>},
    {"_operator::and_", 7, bitwise<"And">},
    {"_operator::or_", 7, bitwise<"Or">},
    {"_operator::lshift", 7, shift<true>},
    {"_operator::rshift", 7, shift<false>},
};

}  // namespace

std::span<const Row> bit_rows() { return kBitsRows; }

}  // namespace tonnx::lower
