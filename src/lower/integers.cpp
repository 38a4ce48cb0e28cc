#include <vector>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/loop.h"
#include "lower/promotion.h"

// Divisors, multiples and factorials of integers; exponents of floating-point numbers.
namespace tonnx::lower {
namespace {

struct Divisor {
  Term x, y, gcd;  // of the same shape
};

// Euclid's algorithm on all elements in parallel.
Divisor greatest_divisor(Op& op) {
  Builder& b = op.builder();
  const DType dtype = compute_dtype(op, {0, 1});
  Value* given_x = operand(op, 0, dtype);
  Value* given_y = operand(op, 1, dtype);
  op->broadcast(given_x, given_y);
  const Term x{b, given_x}, y{b, given_y};
  const auto magnitude = [](Term v) { return v.value()->facts().dtype == DType::UInt8 ? v : abs(v); };
  const auto any = [&](Term v) {
    Value* count = b.reduce("ReduceSum", (v != 0).cast(DType::Int64).value(), {}, false);
    return (Term{b, count} > 0).value();
  };
  const Term larger = magnitude(x), smaller = magnitude(y);
  const Values ends =
      loop(b, nullptr, any(smaller), {larger.value(), smaller.value()}, [&](Value*, const Values& state) -> Pass {
        const Term p{b, state[0]}, q{b, state[1]};
        const Term done = q == 0;
        const Term divisor = where(done, 1, q);
        const Term next = where(done, p, q);
        const Term rest = where(done, q, p - p / divisor * divisor);
        return {any(rest), {next.value(), rest.value()}};
      });
  return {x, y, {b, ends[0]}};
}

Outputs gcd(Op& op) { return greatest_divisor(op).gcd.value(); }

Outputs lcm(Op& op) {
  const Divisor d = greatest_divisor(op);
  const DType dtype = op.dtype_of(d.x.value());
  // LibTorch multiplies integers narrower than 32 bits in int32.
  const DType wide = dtype == DType::Int64 ? dtype : DType::Int32;
  // The gcd of the least integer with itself is that (negative) integer.
  const Term divisor = d.gcd.cast(wide);
  return abs(d.x.cast(wide) / where(divisor == 0, 1, divisor) * d.y.cast(wide)).cast(dtype).value();
}

// 2^exponent, in its dtype
Term two_to(Term exponent) {
  return exponent.with(exponent.builder().op("Pow", {exponent.number(2).value(), exponent.value()}));
}

// x * 2^power of float64, in three factors; no factor is infinite unless the result is.
Term scaled_by_two(Term x, Term power) {
  power = min(max(power, -2200), 2200);
  const Term third = floor(power / 3);
  return x * two_to(third) * two_to(third) * two_to(power - third * 2);
}

// aten::ldexp: self * 2^other. Also for an exponent that is not an integer, as LibTorch computes it.
Outputs ldexp(Op& op) {
  Builder& b = op.builder();
  Term power{b, op.tensor("other")};
  const DType dtype = op.result_dtype();
  if (ir::is_floating(op.dtype_of(power.value())))
    return b.mul(operand(op, "self", dtype), b.cast(two_to(power).value(), dtype));
  return scaled_by_two(Term{b, op.tensor("self")}.cast(DType::Float64), power.cast(DType::Float64)).cast(dtype).value();
}

// aten::ldexp of scalars
Outputs ldexp_of_number(Op& op) {
  Builder& b = op.builder();
  return scaled_by_two({b, op.scalar_of(op.node().input(0), DType::Float64)},
                       {b, op.scalar_of(op.node().input(1), DType::Float64)})
      .value();
}

struct Parts {
  Term mantissa, exponent;
};

// The mantissa in [0.5, 1) and the exponent of 2, both float64.
Parts binary_parts(Term x) {
  Builder& b = x.builder();
  const Term size = abs(x);
  const Term plain = x != 0 && x.with(is_finite(b, x.value()));
  const Term safe = where(plain, size, 1);
  // The logarithm may be off by one next to a power of two.
  Term exponent = floor(log(safe) / 0.69314718055994530942) + 1;
  const auto scaled = [&] { return scaled_by_two(safe, -exponent); };
  exponent = exponent + (scaled() >= 1).cast(DType::Float64);
  exponent = exponent - (scaled() < 0.5).cast(DType::Float64);
  const Term mantissa = x.with(sign(b, x.value())) * scaled();
  return {where(plain, mantissa, x), where(plain, exponent, 0)};
}

Outputs frexp(Op& op) {
  Value* given = op.tensor("self");
  const auto [mantissa, exponent] = binary_parts(Term{op.builder(), given}.cast(DType::Float64));
  return {mantissa.cast(op.dtype_of(given)).value(), exponent.cast(DType::Int32).value()};
}

Outputs frexp_of_number(Op& op) {
  const auto [mantissa, exponent] = binary_parts({op.builder(), op.scalar_of(op.node().input(0), DType::Float64)});
  return {mantissa.value(), exponent.cast(DType::Int64).value()};
}

// aten::modf: the fraction and the integer part, both with the number's sign
Outputs modf(Op& op) {
  Builder& b = op.builder();
  const Term x{b, op.scalar_of(op.node().input(0), DType::Float64)};
  const Term sign = where(x < 0, x.number(-1), x.number(1)), whole = floor(abs(x));
  const Term fraction = where(abs(x) == kInfinity, 0, abs(x) - whole);
  return {(fraction * sign).value(), (whole * sign).value()};
}

// aten::factorial, for results that fit in 64 bits.
Outputs factorial(Op& op) {
  constexpr std::size_t kLast = 20;
  std::vector<std::int64_t> products(kLast + 1, 1);
  for (std::size_t n = 1; n <= kLast; ++n) products[n] = products[n - 1] * static_cast<std::int64_t>(n);
  return op->gather(op->int64s(products), op.scalar_of(op.node().input(0), DType::Int64), 0);
}

constexpr Row kIntegersRows[] = {
    {"aten::gcd", 7, gcd},
    {"aten::lcm", 7, lcm},
    {"aten::ldexp.Tensor", 7, ldexp},
    {"aten::ldexp", 7, ldexp_of_number},
    {"aten::frexp.Tensor", 9, frexp},
    {"aten::frexp", 9, frexp_of_number},
    {"aten::modf", 7, modf},
    {"aten::factorial", 7, factorial},
};

}  // namespace

std::span<const Row> integers_rows() { return kIntegersRows; }

}  // namespace tonnx::lower
