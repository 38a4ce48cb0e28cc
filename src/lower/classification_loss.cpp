#include "lower/families.h"
#include "lower/loss.h"
#include "lower/promotion.h"
#include "lower/reduce.h"
#include "lower/sizes.h"

// Losses of class scores and a target: class indices, or a probability for each class.
namespace tonnx::lower {
namespace {

Value* class_count(Op& op, Value* scores, std::int64_t axis) { return op->size_scalar(scores, axis); }

// Scores with a class axis, and the target class of each sample.
struct Classes {
  Term scores;        // (batch, class, ...) or (class)
  std::int64_t axis;  // the class axis of scores
  Term target;        // int64, without the class axis; ignored samples have class 0, invalid ones fail
  Term counted;       // bool: not ignored
};

Classes classes_of(Op& op, Value* scores) {
  Builder& b = op.builder();
  const Term target{b, b.cast(op.tensor("target"), DType::Int64)};
  const Term ignored = target == target.with(op.scalar("ignore_index", DType::Int64));
  const std::int64_t axis = op.rank_of(scores) == 1 ? 0 : 1;
  Value* place = where(ignored, 0, target).value();
  // From opset 11 on GatherElements fails at a class that is too large.
  place = op.opset() >= 11 ? b.element_index(place) : b.element_index(place, class_count(op, scores, axis));
  return {{b, scores}, axis, target.with(place), !ignored};
}

// The score of each sample's target class.
Term score_of_target(Op& op, const Classes& c) {
  Builder& b = op.builder();
  Value* place = b.unsqueeze(c.target.value(), {c.axis});
  if (op.opset() >= 11) return c.scores.with(b.squeeze(b.gather_elements(c.scores.value(), place, c.axis), {c.axis}));
  Dims shape(static_cast<std::size_t>(op.rank_of(c.scores.value())), 1);
  shape[static_cast<std::size_t>(c.axis)] = -1;
  Value* numbers = b.reshape(b.range(class_count(op, c.scores.value(), c.axis)), shape);
  const Term own = where(c.target.with(place) == c.target.with(numbers), c.scores, 0);
  return own.with(b.reduce("ReduceSum", own.value(), Dims{c.axis}, false));
}

Value* class_weights(Op& op) { return op.is_none("weight") ? nullptr : loss_operand(op, "weight").value(); }

// The weight of each sample: that of its target class, 0 if it is ignored.
Term sample_weights(Op& op, const Classes& c) {
  const Term counted = c.counted.cast(op.dtype_of(c.scores.value()));
  Value* weights = class_weights(op);
  return weights ? counted * counted.with(op->take(weights, c.target.value(), 0)) : counted;
}

struct WeightedLoss {
  Value* loss;
  Value* total_weight;
};

WeightedLoss negative_likelihood(Op& op, const Classes& c) {
  const Term weights = sample_weights(op, c);
  const Term loss = where(c.counted, -score_of_target(op, c) * weights, 0);
  if (op.integer("reduction") == 0) return {loss.value(), op->scalar_like(loss.value(), 0)};
  const Term total = loss.with(sum_of(op, weights.value()));
  const Term sum = loss.with(sum_of(op, loss.value()));
  return {op.integer("reduction") == 1 ? (sum / total).value() : sum.value(), total.value()};
}

Outputs nll(Op& op) { return negative_likelihood(op, classes_of(op, loss_operand(op, "self").value())).loss; }
Outputs nll_forward(Op& op) {
  const WeightedLoss y = negative_likelihood(op, classes_of(op, loss_operand(op, "self").value()));
  return {y.loss, y.total_weight};
}

Value* log_softmax(Op& op, Value* x, std::int64_t axis) {
  const bool loses_nan = x->facts().dtype == DType::Float64 && op->avoids(ir::Defect::LogSoftmaxNan);
  if (op.opset() >= 13 && !loses_nan) return op->op("LogSoftmax", {x}, {{"axis", axis}});
  return op->sub(x, log_sum_exp(op, x, {{axis}, false, true}));
}

// Reshapes the class weights to broadcast along the class axis of the scores.
Value* weights_on_axis(Op& op, Value* weights, const Value* scores) {
  const std::int64_t rank = op.rank_of(scores);
  Dims after;
  for (std::int64_t i = 2; i < rank; ++i) after.push_back(i - 1);
  return op->unsqueeze(weights, after);
}

Outputs cross_entropy_of_shares(Op& op, Term scores, std::int64_t axis, double smoothing) {
  Builder& b = op.builder();
  const Term count{b, b.cast(class_count(op, scores.value(), axis), op.dtype_of(scores.value()))};
  Term target = loss_operand(op, "target");
  if (smoothing > 0) target = target * (1 - smoothing) + smoothing / count;
  Term terms = -(scores * target);
  if (Value* weights = class_weights(op)) terms = terms * terms.with(weights_on_axis(op, weights, scores.value()));
  const Term loss = terms.with(b.reduce("ReduceSum", terms.value(), Dims{axis}, false));
  return reduced_loss(op, loss.value());
}

Outputs cross_entropy(Op& op) {
  Builder& b = op.builder();
  Value* x = loss_operand(op, "self").value();
  const std::int64_t rank = op.rank_of(x);
  const std::int64_t axis = rank == 1 ? 0 : 1;
  const double smoothing = op.number("label_smoothing");
  const Term scores{b, log_softmax(op, x, axis)};
  const Value* target = op.tensor("target");
  if (op.rank_of(target) == rank) return cross_entropy_of_shares(op, scores, axis, smoothing);

  const Classes c = classes_of(op, scores.value());
  const Term likelihood = scores.with(negative_likelihood(op, c).loss);
  if (smoothing == 0) return likelihood.value();
  Term terms = -scores;
  if (Value* weights = class_weights(op)) terms = terms * terms.with(weights_on_axis(op, weights, x));
  Term spread = terms.with(b.reduce("ReduceSum", terms.value(), Dims{axis}, false));
  spread = where(c.counted, spread, 0);
  if (op.integer("reduction") != 0) spread = spread.with(sum_of(op, spread.value()));
  if (op.integer("reduction") == 1) spread = spread / spread.with(sum_of(op, sample_weights(op, c).value()));
  const Term count{b, b.cast(class_count(op, x, axis), op.dtype_of(x))};
  return (likelihood * (1 - smoothing) + spread * (smoothing / count)).value();
}

// Scores as (batch, class), whether a batch axis was added, and a bool (batch, class) that marks the target classes of
// each sample.
struct Rows {
  Term scores;
  bool batched;
};

Rows rows_of(Op& op) {
  const Term x = loss_operand(op, "self");
  const std::int64_t rank = op.rank_of(x.value());
  if (rank == 0) return {x.with(op->reshape(x.value(), {1, 1})), false};
  if (rank == 1) return {x.with(op->unsqueeze(x.value(), {0})), false};
  if (rank != 2) op.refuse_argument("self", "must have rank 1 or 2");
  return {x, true};
}

Value* without_batch(Op& op, const Rows& rows, Value* loss) { return rows.batched ? loss : op->squeeze(loss, {0}); }

Outputs multi_margin(Op& op) {
  Builder& b = op.builder();
  const Rows rows = rows_of(op);
  Value* count = b.size_scalar(rows.scores.value(), 1);
  const Term target{b, b.reshape(b.element_index(op.tensor("target"), count), {-1, 1})};
  const Term numbers = target.with(b.range(count));
  const Term own = numbers == target;
  const Term kept = where(own, rows.scores, 0);
  const Term score = kept.with(b.reduce("ReduceSum", kept.value(), Dims{1}, true));
  Term violation = relu(op.number("margin") - score + rows.scores);
  if (op.number("p") == 2) {
    violation = violation * violation;
  } else if (op.number("p") != 1) {
    op.refuse_argument("p", "must be 1 or 2");
  }
  if (Value* weights = class_weights(op)) {
    const Term its_weight = where(own, score.with(weights), 0);
    violation = violation * violation.with(b.reduce("ReduceSum", its_weight.value(), Dims{1}, true));
  }
  Value* loss = b.reduce("ReduceMean", where(own, 0, violation).value(), Dims{1}, false);
  return reduced_loss(op, op.rank_of(op.tensor("target")) == 0 ? b.squeeze(loss, {0}) : loss);
}

// The targets are the classes before the first -1. The second result marks them.
Outputs multilabel_margin(Op& op) {
  Builder& b = op.builder();
  const Rows rows = rows_of(op);
  const DType dtype = op.dtype_of(rows.scores.value());
  // A class or -1, which is at the front of these indices.
  Value* place = b.add(b.cast(op.tensor("target"), DType::Int64), b.int64(1));
  Value* places = add_sizes(b, b.size_scalar(rows.scores.value(), 1), b.int64(1));
  Value* given = b.sub(b.element_index(place, places), b.int64(1));
  const Term target{b, rows.batched ? given : b.reshape(given, {1, -1})};
  const Term ends{b, b.op("CumSum", {(target < 0).cast(DType::Float32).value(), b.int64(1)})};
  const Term valid = ends == 0;
  // [sample, target, class]
  const Term numbers = target.with(b.range(b.size_scalar(rows.scores.value(), 1)));
  const Term names =
      target.with(b.unsqueeze(target.value(), {2})) == numbers && valid.with(b.unsqueeze(valid.value(), {2}));
  const Term marks = names.cast(dtype);
  const Term is_target = marks.with(b.reduce("ReduceMax", marks.value(), Dims{1}, false));
  const Term classes = rows.scores.with(b.unsqueeze(rows.scores.value(), {1}));
  const Term kept = where(names, classes, 0);
  const Term score = kept.with(b.reduce("ReduceSum", kept.value(), Dims{2}, true));
  const Term others = 1 - is_target;
  const Term active = valid.cast(dtype);
  const Term violation = relu(1 - score + classes) * others.with(b.unsqueeze(others.value(), {1})) *
                         active.with(b.unsqueeze(active.value(), {2}));
  const Term sum = violation.with(b.reduce("ReduceSum", violation.value(), Dims{1, 2}, false));
  const Term count{b, b.cast(b.size_scalar(rows.scores.value(), 1), dtype)};
  Value* loss = reduced_loss(op, without_batch(op, rows, (sum / count).value()));
  if (op.node().output_count() == 1) return loss;
  Value* marked = is_target.value();
  if (!rows.batched) marked = op.rank_of(given) == 0 ? b.reshape(marked, Dims{}) : b.squeeze(marked, {0});
  return {loss, marked};
}

constexpr Row kClassificationLossRows[] = {
    {"aten::nll_loss", 9, rounded<nll>},
    {"aten::nll_loss_nd", 9, rounded<nll>},
    {"aten::nll_loss2d", 9, rounded<nll>},
    {"aten::nll_loss_forward", 9, rounded<nll_forward>},
    {"aten::nll_loss2d_forward", 9, rounded<nll_forward>},
    {"aten::cross_entropy_loss", 9, rounded<cross_entropy>},
    {"aten::multi_margin_loss", 9, rounded<multi_margin>},
    {"aten::multilabel_margin_loss", 11, rounded<multilabel_margin>},
    {"aten::multilabel_margin_loss_forward", 11, rounded<multilabel_margin>},
};

}  // namespace

std::span<const Row> classification_loss_rows() { return kClassificationLossRows; }

}  // namespace tonnx::lower
