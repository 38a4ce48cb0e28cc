#include <cmath>
#include <numbers>

#include "lower/families.h"
#include "lower/formula.h"

// Random numbers of a distribution, in the sizes of `self`, by the inverse of its cumulative function.
namespace tonnx::lower {
namespace {

// The dtype to draw in: float64 where that is the result's.
DType drawn_dtype(Op& op) { return op.result_dtype() == DType::Float64 ? DType::Float64 : DType::Float32; }

// Numbers in (0, 1], of which ONNX draws the complements.
Term uniform(Op& op) {
  Builder& b = op.builder();
  Value* like = b.cast(op.tensor("self"), drawn_dtype(op));
  const Term drawn{b, b.op("RandomUniformLike", {like}, {{"low", 0.0}, {"high", 1.0}})};
  return 1 - drawn;
}

Outputs exponential(Op& op) { return (log(uniform(op)) * (-1 / op.number("lambd"))).value(); }

Outputs cauchy(Op& op) {
  const Term turn = (uniform(op) - 0.5) * std::numbers::pi;
  return (sin(turn) / cos(turn) * op.number("sigma") + op.number("median")).value();
}

// How many trials of probability p until one succeeds.
Outputs geometric(Op& op) {
  const double p = op.number("p");
  if (p >= 1) return op->constant_of_shape(op->shape(op.tensor("self")), op.result_dtype(), 1);
  return op->cast(at_least((log(uniform(op)) / std::log1p(-p)).apply("Ceil"), 1).value(), op.result_dtype());
}

Outputs log_normal(Op& op) {
  Builder& b = op.builder();
  Value* like = b.cast(op.tensor("self"), drawn_dtype(op));
  const Attributes around{{"mean", op.number("mean")}, {"scale", op.number("std")}};
  return exp(Term{b, b.op("RandomNormalLike", {like}, around)}).value();
}

constexpr Row kRows[] = {
    {"aten::exponential", 7, rounded<exponential>},
    {"aten::cauchy", 7, rounded<cauchy>},
    {"aten::geometric", 7, geometric},
    {"aten::log_normal", 7, rounded<log_normal>},
};

}  // namespace

std::span<const Row> distribution_rows() { return kRows; }

}  // namespace tonnx::lower
