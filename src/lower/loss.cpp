#include "lower/loss.h"

#include <numbers>

#include "lower/families.h"
#include "lower/missing.h"
#include "lower/norm.h"
#include "lower/promotion.h"
#include "lower/reduce.h"

// Elementwise losses of a prediction and a target, and losses of pairs and triplets of vectors.
namespace tonnx::lower {
namespace {

// The dtype in which LibTorch computes. Integer dtypes are kept; they wrap.
DType own_dtype(const Op& op, const std::vector<const ir::Value*>& operands) {
  const DType promoted = promoted_dtype(operands);
  return ir::is_integral(promoted) ? promoted : loss_dtype(op);
}

Term own_difference(Op& op, std::string_view x, std::string_view y) {
  const DType dtype = own_dtype(op, {op.source(x), op.source(y)});
  return Term{op.builder(), operand(op, x, dtype)} - Term{op.builder(), operand(op, y, dtype)};
}

}  // namespace

DType loss_dtype(const Op& op) {
  const DType dtype = compute_dtype(op, {0, 1});
  return dtype == DType::Float16 || dtype == DType::BFloat16 ? DType::Float32 : dtype;
}

Term loss_operand(Op& op, std::string_view argument) {
  return {op.builder(), op->cast(op.tensor(argument), loss_dtype(op))};
}

Value* sum_of(Op& op, Value* x) { return reduce(op, "ReduceSum", x, {{}, true, false}); }

Value* reduced_loss(Op& op, Value* loss) {
  const ReducedAxes all{{}, true, false};
  switch (op.integer("reduction")) {
    case 0: return loss;
    case 1: {
      const bool empty = reduced_count(op, loss, all) == 0;
      return empty ? op->scalar_like(loss, kNan) : mean_over(op, loss, all);
    }
    case 2: return reduced_count(op, loss, all) == 0 ? op->scalar_like(loss, 0) : sum_of(op, loss);
    default: op.refuse_argument("reduction", "must be none (0), mean (1) or sum (2)");
  }
}

Term difference_of(Op& op, std::string_view x, std::string_view y) {
  return own_difference(op, x, y).cast(loss_dtype(op));
}

namespace {

ReducedAxes last_axis(Op& op, const Value* x, bool keep) {
  return {{std::max<std::int64_t>(op.rank_of(x) - 1, 0)}, false, keep};
}

Value* moved_by(Op& op, Value* difference, double eps) {
  return eps == 0 ? difference : op->add(difference, op->scalar_like(difference, eps));
}

}  // namespace

Value* distance_along_last(Op& op, Value* difference, double p, double eps, bool keep) {
  return norm_of(op, moved_by(op, difference, eps), p, last_axis(op, difference, keep));
}

Value* distance_along_last(Op& op, Value* difference, std::string_view order, double eps, bool keep) {
  return norm_by(op, order, moved_by(op, difference, eps), last_axis(op, difference, keep));
}

namespace {

template <Term (*Loss)(Op& op, Term x, Term target)>
Outputs of_pairs(Op& op) {
  return reduced_loss(op, Loss(op, loss_operand(op, "self"), loss_operand(op, "target")).value());
}

Term squared(Op&, Term x, Term target) {
  const Term distance = x - target;
  return distance * distance;
}
// The distance of two uint8 values wraps if the target is larger.
Term absolute(Op& op, Term, Term) { return abs(difference_of(op, "self", "target")); }

// Half the square up to the border, and a line of the same slope after it.
Term smooth_l1(Op& op, Term x, Term target) {
  const Term distance = abs(x - target);
  if (!op.is_constant("beta")) {
    const Term border = x.with(op.scalar("beta", x.value()->facts().dtype));
    const Term curved = distance * distance * 0.5 / border;  // NaN for a border of 0; not selected then
    return where(distance < border, curved, distance - border * 0.5);
  }
  const double beta = op.number("beta");
  if (beta == 0) return distance;
  return where(distance < beta, distance * distance * (0.5 / beta), distance - 0.5 * beta);
}
Term huber(Op& op, Term x, Term target) {
  const Term distance = abs(x - target);
  if (!op.is_constant("delta")) {
    const Term border = x.with(op.scalar("delta", x.value()->facts().dtype));
    return where(distance <= border, distance * distance * 0.5, (distance - border * 0.5) * border);
  }
  const double delta = op.number("delta");
  return where(distance <= delta, distance * distance * 0.5, (distance - 0.5 * delta) * delta);
}

Term soft_margin(Op& op, Term x, Term target) { return x.with(softplus(op.builder(), (-(x * target)).value())); }

// -log of the probability of each class; the logarithm is at least -100.
Term cross_entropy(Op& op, Term x, Term target) {
  Builder& b = op.builder();
  const Term yes = at_least(log(x), -100);
  const Term no = at_least(x.with(log1p(b, (-x).value())), -100);
  const Term loss = (target - 1) * no - target * yes;
  return op.is_none("weight") ? loss : loss * loss_operand(op, "weight");
}

Term cross_entropy_of_logits(Op& op, Term x, Term target) {
  Term decay = x.with(softplus(op.builder(), (-x).value()));
  if (!op.is_none("pos_weight")) decay = decay * ((loss_operand(op, "pos_weight") - 1) * target + 1);
  const Term loss = (1 - target) * x + decay;
  return op.is_none("weight") ? loss : loss * loss_operand(op, "weight");
}

Term divergence(Op& op, Term x, Term target) {
  if (op.flag("log_target")) return exp(target) * (target - x);
  const Term entropy = where(target == 0, 0, target * log(where(target == 0, 1, target)));
  return entropy - target * x;
}

Term hinge_embedding(Op& op, Term x, Term target) {
  const Term below_margin = relu(op.number("margin") - x);
  const Term zero = x.number(0);
  return where(target != 1, below_margin, zero) + where(target != -1, x, zero);
}

Outputs poisson_nll(Op& op) {
  const Term x = loss_operand(op, "input");
  const Term target = loss_operand(op, "target");
  Term loss = op.flag("log_input") ? exp(x) - target * x : x - target * log(x + op.number("eps"));
  if (op.flag("full")) {
    const Term safe = max(target, 1);
    const Term stirling = safe * log(safe) - safe + 0.5 * log(safe * (2 * std::numbers::pi));
    loss = loss + where(target <= 1, 0, stirling);
  }
  return reduced_loss(op, loss.value());
}

Outputs margin_ranking(Op& op) {
  const DType product = own_dtype(op, {op.source("input1"), op.source("input2"), op.source("target")});
  const Term sign = -Term{op.builder(), operand(op, "target", own_dtype(op, {op.source("target")}))};
  const Term signed_difference = sign.cast(product) * own_difference(op, "input1", "input2").cast(product);
  return reduced_loss(op, relu(signed_difference.cast(loss_dtype(op)) + op.number("margin")).value());
}

Outputs cosine_embedding(Op& op) {
  const Term x = loss_operand(op, "input1");
  const Term y = loss_operand(op, "input2");
  const Term target = loss_operand(op, "target");
  const std::int64_t axis = op.rank_of(target.value()) == 0 ? 0 : 1;
  const auto dot = [&](Term p, Term q) {
    return x.with(reduce(op, "ReduceSum", (p * q).value(), {{axis}, false, false}));
  };
  const Term lengths = (dot(x, x) + 1e-12) * (dot(y, y) + 1e-12);
  const Term cosine = dot(x, y) / sqrt(lengths);
  const Term zero = cosine.number(0);
  const Term loss =
      where(target == 1, 1 - cosine, zero) + where(target == -1, relu(cosine - op.number("margin")), zero);
  return reduced_loss(op, loss.value());
}

Outputs triplet_margin(Op& op) {
  const auto distance = [&](std::string_view x, std::string_view y) {
    const Term difference = difference_of(op, x, y);
    return difference.with(distance_along_last(op, difference.value(), "p", op.number("eps"), false));
  };
  Term far = distance("anchor", "negative");
  if (op.flag("swap")) far = min(far, distance("positive", "negative"));
  return reduced_loss(op, relu(distance("anchor", "positive") - far + op.number("margin")).value());
}

constexpr Row kLossRows[] = {
    {"aten::mse_loss", 7, rounded<of_pairs<squared>>},
    {"aten::l1_loss", 7, rounded<of_pairs<absolute>>},
    {"aten::smooth_l1_loss", 7, rounded<of_pairs<smooth_l1>>},
    {"aten::huber_loss", 7, rounded<of_pairs<huber>>},
    {"aten::soft_margin_loss", 7, rounded<of_pairs<soft_margin>>},
    {"aten::binary_cross_entropy", 7, rounded<of_pairs<cross_entropy>>},
    {"aten::binary_cross_entropy_with_logits", 7, rounded<of_pairs<cross_entropy_of_logits>>},
    {"aten::kl_div", 7, rounded<of_pairs<divergence>>},
    {"aten::hinge_embedding_loss", 7, rounded<of_pairs<hinge_embedding>>},
    {"aten::poisson_nll_loss", 7, rounded<poisson_nll>},
    {"aten::margin_ranking_loss", 7, rounded<margin_ranking>},
    {"aten::cosine_embedding_loss", 7, rounded<cosine_embedding>},
    {"aten::triplet_margin_loss", 7, rounded<triplet_margin>},
};

}  // namespace

std::span<const Row> loss_rows() { return kLossRows; }

}  // namespace tonnx::lower
