#include "lower/families.h"
#include "lower/formula.h"
#include "lower/promotion.h"

// Covariance and correlation of variables (rows) over observations (columns).
namespace tonnx::lower {
namespace {

Value* weights_of(Op& op, std::string_view argument, DType dtype) {
  return op.has(argument) && !op.is_none(argument) ? op->cast(op.tensor(argument), dtype) : nullptr;
}

struct Observations {
  Term centred;    // (variables, observations)
  Value* weights;  // null: all ones
  Value* divisor;  // rank 0
};

Observations observations(Op& op, double correction) {
  Builder& b = op.builder();
  Value* self = op.tensor("self");
  const DType dtype = ir::is_floating(op.dtype_of(self)) ? op.dtype_of(self) : DType::Float32;
  Value* x = in_full_precision(b, b.cast(self, dtype));
  const std::int64_t rank = op.rank_of(x);
  if (rank == 0) x = b.reshape(x, {1, 1});
  if (rank == 1) x = b.unsqueeze(x, {0});
  const Term values{b, x};
  const DType computed = op.dtype_of(x);
  Value* frequencies = weights_of(op, "fweights", computed);
  Value* importance = weights_of(op, "aweights", computed);
  Value* weights = frequencies && importance ? b.mul(frequencies, importance) : frequencies ? frequencies : importance;
  const Term count = weights ? values.with(b.reduce("ReduceSum", weights, Dims{0}, false))
                             : values.with(b.cast(b.size_scalar(x, 1), computed));
  const Term weighted = weights ? values * values.with(weights) : values;
  const Term mean = values.with(b.reduce("ReduceSum", weighted.value(), Dims{1}, true)) / count;
  Term lost = values.number(correction);
  if (importance && correction != 0) {
    Value* sum = b.reduce("ReduceSum", b.mul(weights, importance), Dims{0}, false);
    lost = values.with(sum) * correction / count;
  }
  return {values - mean, weights, max(count - lost, 0).value()};
}

Term covariances(Op& op, const Observations& o) {
  Builder& b = op.builder();
  const Term left = o.weights ? o.centred * o.centred.with(o.weights) : o.centred;
  return o.centred.with(b.matmul(left.value(), b.transpose(o.centred.value(), {1, 0}))) / o.centred.with(o.divisor);
}

bool has_one_variable(const Op& op) {
  return op.rank_of(op.tensor("self")) < 2 || op.fixed_size(op.tensor("self"), 0) == 1;
}

// One variable yields a scalar, even if the number of variables is dynamic.
Value* shaped(Op& op, Value* matrix) {
  if (has_one_variable(op)) return op->reshape(matrix, Dims{});
  return op.fixed_size(op.tensor("self"), 0) ? matrix : op->op("Squeeze", {matrix});
}

Outputs cov(Op& op) { return shaped(op, covariances(op, observations(op, op.number("correction"))).value()); }

Outputs corrcoef(Op& op) {
  Builder& b = op.builder();
  const Observations o = observations(op, 1);
  const Term square = o.centred * o.centred;
  const Term variance = square.with(b.reduce("ReduceSum", square.value(), Dims{1}, true)) / square.with(o.divisor);
  const Term deviation = sqrt(variance);
  const Term ratio = covariances(op, o) / deviation / deviation.with(b.transpose(deviation.value(), {1, 0}));
  return shaped(op, has_one_variable(op) ? ratio.value() : b.clip(ratio.value(), -1, 1));
}

constexpr Row kCovarianceRows[] = {
    {"aten::cov", 7, rounded<cov>},
    {"aten::corrcoef", 7, rounded<corrcoef>},
};

}  // namespace

std::span<const Row> covariance_rows() { return kCovarianceRows; }

}  // namespace tonnx::lower
