#include "lower/families.h"
#include "lower/formula.h"
#include "lower/loss.h"
#include "lower/norm.h"
#include "lower/promotion.h"

// Distances between vectors, and limits on norms.
namespace tonnx::lower {
namespace {

Value* in_full(Op& op, std::string_view argument) {
  return in_full_precision(op.builder(), op->cast(op.tensor(argument), compute_dtype(op, {0})));
}

Outputs pairwise_distance(Op& op) {
  const Term difference = difference_of(op, "x1", "x2");
  if (!op.has("eps") || op.source("eps")->constant())
    return distance_along_last(op, difference.value(), "p", op.number("eps"), op.flag("keepdim"));
  Value* moved = op->add(difference.value(), op.scalar("eps", difference.value()->facts().dtype));
  return distance_along_last(op, moved, "p", 0, op.flag("keepdim"));
}

// aten::cdist: the distance of every row of x1 to every row of x2.
Outputs cdist(Op& op) {
  Value* x = loss_operand(op, "x1").value();
  Value* y = loss_operand(op, "x2").value();
  Value* difference = op->sub(op->unsqueeze(x, {op.rank_of(x) - 1}), op->unsqueeze(y, {op.rank_of(y) - 2}));
  return op.has("p") ? distance_along_last(op, difference, "p", 0, false)
                     : distance_along_last(op, difference, 2, 0, false);
}

// aten::pdist: the distance of every row to every later row, in row-major order of the pairs.
Outputs pdist(Op& op) {
  Builder& b = op.builder();
  Value* x = in_full(op, "self");
  const Term places{b, b.range(b.size_scalar(x, 0))};
  const Term later = places.with(b.unsqueeze(places.value(), {1})) < places.with(b.unsqueeze(places.value(), {0}));
  Value* pairs = b.op("NonZero", {later.cast(DType::Float32).value()});
  const auto row = [&](std::int64_t i) { return b.gather(x, b.squeeze(b.slice(pairs, 0, i, i + 1), {0}), 0); };
  return distance_along_last(op, op->sub(row(0), row(1)), "p", 0, false);
}

// The factor that reduces a norm to at most `limit`.
Term shrinking(Term norm, double limit) { return where(norm > limit, limit / (norm + 1e-7), norm.number(1)); }

// aten::renorm: limits the norm of every slice along an axis
Outputs renorm(Op& op) {
  Value* x = in_full(op, "self");
  const std::int64_t axis = op.axis("dim", x);
  Dims others;
  for (std::int64_t i = 0; i < op.rank_of(x); ++i)
    if (i != axis) others.push_back(i);
  const Term norm{op.builder(), norm_of(op, x, op.number("p"), {others, false, true})};
  return (norm.with(x) * shrinking(norm, op.number("maxnorm"))).value();
}

// aten::embedding_renorm: limits the norm of the rows that the indices select
Outputs embedding_renorm(Op& op) {
  Builder& b = op.builder();
  Value* weight = op.tensor("self");
  Value* places = b.flatten_to_vector(b.cast(op.tensor("indices"), DType::Int64));
  const Term rows{b, b.take(weight, places, 0)};
  const Term norm{b, norm_of(op, rows.value(), op.number("norm_type"), {{1}, false, true})};
  Value* shrunk = (rows * shrinking(norm, op.number("max_norm"))).value();
  return b.op("ScatterND", {weight, b.unsqueeze(places, {1}), shrunk});
}

constexpr Row kDistanceRows[] = {
    {"aten::pairwise_distance", 7, rounded<pairwise_distance>},
    {"aten::cdist", 7, rounded<cdist>},
    {"aten::_cdist_forward", 7, rounded<cdist>},
    {"aten::_euclidean_dist", 7, rounded<cdist>},
    {"aten::pdist", 9, rounded<pdist>},
    {"aten::_pdist_forward", 9, rounded<pdist>},
    {"aten::renorm", 7, rounded<renorm>},
    {"aten::embedding_renorm", 11, rounded<embedding_renorm>},
};

}  // namespace

std::span<const Row> distance_rows() { return kDistanceRows; }

}  // namespace tonnx::lower
