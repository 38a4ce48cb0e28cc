#include <cmath>
#include <limits>
#include <numbers>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/loop.h"
#include "lower/random_numbers.h"

// Random samples of a distribution, in the shape of `self`: by the inverse of its cumulative distribution function, or
// by rejection.
namespace tonnx::lower {
namespace {

// The dtype to draw in: float64 if the result is float64, else float32.
DType drawn_dtype(Op& op) { return op.result_dtype() == DType::Float64 ? DType::Float64 : DType::Float32; }

// Uniform numbers in (0, 1]: one minus ONNX's uniform numbers.
Term uniform(Op& op) {
  Builder& b = op.builder();
  Value* like = b.cast(op.tensor("self"), drawn_dtype(op));
  return 1 - Term{b, uniform_like(b, like)};
}

Outputs exponential(Op& op) { return (log(uniform(op)) * (-1 / op.number("lambd"))).value(); }

Outputs cauchy(Op& op) {
  const Term turn = (uniform(op) - 0.5) * std::numbers::pi;
  return (sin(turn) / cos(turn) * op.number("sigma") + op.number("median")).value();
}

// The number of trials of probability p up to the first success.
Outputs geometric(Op& op) {
  const double p = op.number("p");
  if (p >= 1) return op->constant_of_shape(op->shape(op.tensor("self")), op.result_dtype(), 1);
  return op->cast(at_least((log(uniform(op)) / std::log1p(-p)).apply("Ceil"), 1).value(), op.result_dtype());
}

Outputs log_normal(Op& op) {
  Builder& b = op.builder();
  Value* like = b.cast(op.tensor("self"), drawn_dtype(op));
  return exp(Term{b, normal_like(b, like, op.number("mean"), op.number("std"))}).value();
}

// Gamma samples with these shape parameters (float64), by Marsaglia and Tsang. Shapes below 1 are reduced to larger
// ones by a power of a uniform number.
Term gamma_of(Term shape) {
  Builder& b = shape.builder();
  const Term small = shape < 1;
  const Term most = where(small, shape + 1, shape) - 1.0 / 3;
  const Term spread = 1 / sqrt(most * 9);
  const auto pass = [&](Value*, const Values& state) -> Pass {
    const Term sample = shape.with(state[0]), open = shape.with(state[1]);
    const Term normal = shape.with(normal_like(b, shape.value()));
    const Term drawn = 1 - shape.with(uniform_like(b, shape.value()));
    const Term root = normal * spread + 1;
    const Term cube = root * root * root;
    const Term accepted = root > 0 && log(drawn) < normal * normal * 0.5 + most * (1 - cube + log(cube));
    const Term left = open && !accepted;
    const Term count =
        left.with(b.reduce("ReduceSum", b.flatten_to_vector(b.cast(left.value(), DType::Float64)), {}, false));
    return {(count > 0).value(), {where(open && accepted, most * cube, sample).value(), left.value()}};
  };
  const Term open = shape > 0 && shape < kInfinity;
  const Term sample = shape.with(loop(b, nullptr, nullptr, {shape.value(), open.value()}, pass)[0]);
  const Term drawn = 1 - shape.with(uniform_like(b, shape.value()));
  return where(small, sample * exp(log(drawn) / shape), sample);
}

Term least_of(Term x, DType dtype) {
  const double least = dtype == DType::Float64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  return where(x >= least, x, x.number(least));
}

Outputs standard_gamma(Op& op) {
  const Term shape{op.builder(), op->cast(op.tensor("self"), DType::Float64)};
  return least_of(gamma_of(shape), op.result_dtype()).value();
}

Outputs dirichlet(Op& op) {
  const Term shape{op.builder(), op->cast(op.tensor("self"), DType::Float64)};
  const Term drawn = gamma_of(shape);
  const Term sum = drawn.with(op->reduce("ReduceSum", drawn.value(), Dims{op.rank_of(drawn.value()) - 1}, true));
  return least_of(drawn / sum, op.result_dtype()).value();
}

constexpr Row kDistributionRows[] = {
    {"aten::exponential", 7, rounded<exponential>},
    {"aten::cauchy", 7, rounded<cauchy>},
    {"aten::geometric", 7, geometric},
    {"aten::log_normal", 7, rounded<log_normal>},
    {"aten::_standard_gamma", 9, rounded<standard_gamma>},
    {"aten::_sample_dirichlet", 9, rounded<dirichlet>},
};

}  // namespace

std::span<const Row> distribution_rows() { return kDistributionRows; }

}  // namespace tonnx::lower
