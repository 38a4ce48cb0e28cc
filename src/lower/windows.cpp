#include <numbers>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/special.h"

// Window functions of computed length. Constant lengths are folded earlier.
namespace tonnx::lower {
namespace {

// 0 to 1 over the elements; a half for a window of one element. Periodic windows exclude the end.
Term places(Op& op) {
  Builder& b = op.builder();
  const bool periodic = !op.has("periodic") || op.flag("periodic");
  const Term length{b, op.scalar("window_length", DType::Int64)};
  const Term period = max(periodic ? length : length - 1, 1);
  const Term index{b, b.range(length.value())};
  const Term only = (length == 1).cast(DType::Float64) * 0.5;
  return index.cast(DType::Float64) / period.cast(DType::Float64) + only;
}

// c0 - c1 cos(2 pi t) + c2 cos(4 pi t)
Outputs cosines(Op& op, double c0, double c1, double c2) {
  const Term angle = places(op) * (2 * std::numbers::pi);
  const Term sum = c0 - c1 * cos(angle);
  return op->cast((c2 == 0 ? sum : sum + c2 * cos(angle * 2)).value(), op.result_dtype());
}

Outputs hann(Op& op) { return cosines(op, 0.5, 0.5, 0); }
Outputs blackman(Op& op) { return cosines(op, 0.42, 0.5, 0.08); }
Outputs hamming(Op& op) {
  return cosines(op, op.has("alpha") ? op.number("alpha") : 0.54, op.has("beta") ? op.number("beta") : 0.46, 0);
}

Outputs bartlett(Op& op) { return op->cast((1 - abs(places(op) * 2 - 1)).value(), op.result_dtype()); }

Outputs kaiser(Op& op) {
  Builder& b = op.builder();
  const Term side = places(op) * 2 - 1;
  const Term beta = side.number(op.has("beta") ? op.number("beta") : 12);
  const auto i0 = [&](Term x) { return x.with(bessel_i0(b, x.value())); };
  return b.cast((i0(beta * sqrt(1 - side * side)) / i0(beta)).value(), op.result_dtype());
}

constexpr Row kWindowsRows[] = {
    {"aten::hann_window", 7, hann},         {"aten::hamming_window", 7, hamming},
    {"aten::blackman_window", 7, blackman}, {"aten::bartlett_window", 7, bartlett},
    {"aten::kaiser_window", 9, kaiser},
};

}  // namespace

std::span<const Row> windows_rows() { return kWindowsRows; }

}  // namespace tonnx::lower
