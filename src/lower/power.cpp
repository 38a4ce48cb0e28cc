#include "lower/power.h"

#include <algorithm>

#include "lower/formula.h"
#include "lower/known.h"
#include "lower/loop.h"

namespace tonnx::lower {
namespace {

// Power by squaring, for a constant exponent that is not negative.
Value* repeated_product(Builder& b, Value* x, std::int64_t exponent) {
  if (exponent == 0) {
    const Term t{b, x};
    return (t * 0 + 1).value();
  }
  Value* product = nullptr;
  for (Value* square = x;; square = b.mul(square, square)) {
    if (exponent % 2 != 0) product = product ? b.mul(product, square) : square;
    exponent /= 2;
    if (exponent == 0) return product;
  }
}

// The same with an exponent for each element.
Value* integer_power(Builder& b, Value* given_x, Value* given_y) {
  const auto known = known_integers(given_y);
  const bool counts = known && std::all_of(known->begin(), known->end(), [](std::int64_t n) { return n >= 0; });
  b.broadcast(given_x, given_y);
  const Term x{b, given_x}, y{b, given_y};
  const auto odd = [](Term v) { return v - v / 2 * 2 != 0; };
  const auto any = [&](Term v) {
    return (Term{b, b.reduce("ReduceSum", (v > 0).cast(DType::Int64).value(), Dims{}, false)} > 0).value();
  };
  const Values ends =
      loop(b, nullptr, any(y), {(x * 0 + 1).value(), x.value(), y.value()}, [&](Value*, const Values& state) -> Pass {
        const Term product{b, state[0]}, square{b, state[1]}, left{b, state[2]};
        const Term more = where(odd(left) && left > 0, product * square, product);
        const Term rest = left / 2;
        return {any(rest), {more.value(), (square * square).value(), rest.value()}};
      });
  const Term product{b, ends[0]};
  if (counts || y.value()->facts().dtype == DType::UInt8) return product.value();
  const Term sign = where(x == -1 && odd(y), -1, where(x == 1 || x == -1, 1, x * 0));
  return where(y < 0, sign, product).value();
}

}  // namespace

Value* power(Builder& b, Value* x, Value* y) {
  const auto exponent = known_number_beside(x, y);
  if (ir::is_floating(x->facts().dtype)) {
    if (exponent == 1.0) return x;
    return exponent == 0.5 ? b.op("Sqrt", {x}) : b.op("Pow", {x, y});
  }
  if (exponent && *exponent >= 0) return repeated_product(b, x, static_cast<std::int64_t>(*exponent));
  return integer_power(b, x, y);
}

}  // namespace tonnx::lower
