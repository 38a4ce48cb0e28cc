#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/known.h"
#include "lower/op.h"

namespace tonnx::lower {
namespace {

// Ids that are inputs of the model are not checked: the tokens of a language model need no node of their own
// (docs/supported.md, Limits).
Value* checked_ids(Op& op, Value* ids) {
  return are_elements_of_inputs(op->graph(), ids, op->weights_change()) ? ids : op->element_index(ids);
}

// padding_idx, scale_grad_by_freq and sparse affect gradients only.
Outputs embedding(Op& op) { return op->take(op.tensor("weight"), checked_ids(op, op.tensor("indices")), 0); }

// Bags as a matrix: row i selects the indices from offsets[i] to the next offset, without those equal to padding_idx.
Value* members(Op& op, Value* indices, Value* offsets) {
  Builder& b = op.builder();
  Value* count = b.size_scalar(indices, 0);
  Value* end = nullptr;
  Value* begin = offsets;
  if (op.flag("include_last_offset")) {
    begin = b.slice(offsets, 0, 0, -1);
    end = b.slice(offsets, 0, 1, INT64_MAX);
  } else {
    end = b.concat({b.slice(offsets, 0, 1, INT64_MAX), b.reshape(count, {1})}, 0);
  }
  Value* position = b.unsqueeze(b.range(count), {0});
  Value* inside =
      b.op("And", {greater_equal(b, position, b.unsqueeze(begin, {1})), less(b, position, b.unsqueeze(end, {1}))});
  if (!op.has("padding_idx") || op.is_none("padding_idx")) return inside;
  std::int64_t padding = op.integer("padding_idx");
  const bool counts_from_end =
      padding < 0 && op.constant("padding_idx") && op.node().full_name() == "aten::embedding_bag.padding_idx";
  if (padding < 0 && !counts_from_end) return inside;
  Value* padded = b.int64(padding);
  if (counts_from_end) padded = b.add(b.size_scalar(op.tensor("weight"), 0), padded);
  return b.op("And", {inside, b.unsqueeze(not_equal(b, indices, padded), {0})});
}

Outputs embedding_bag(Op& op) {
  Builder& b = op.builder();
  Value* weight = op.tensor("weight");
  Value* indices = b.cast(op.tensor("indices"), DType::Int64);
  if (op.rank_of(indices) != 1) op.refuse_argument("indices", "must have one axis");
  Value* offsets = b.cast(op.tensor("offsets"), DType::Int64);
  const DType dtype = weight->facts().dtype;
  Value* rows = b.take(weight, checked_ids(op, indices), 0);
  if (Value* factors = op.optional_tensor("per_sample_weights")) rows = b.mul(rows, b.unsqueeze(factors, {1}));
  Value* inside = members(op, indices, offsets);
  const std::int64_t mode = op.integer("mode");
  Value* y = nullptr;
  if (mode == 2) {
    if (op.opset() < 9) op.needs_opset(9, "embedding_bag of mode max");
    Value* candidates = b.where(b.unsqueeze(inside, {2}), b.unsqueeze(rows, {0}), b.scalar(dtype, -kInfinity));
    Value* most = b.reduce("ReduceMax", candidates, Dims{1}, false);
    Value* filled = b.reduce("ReduceMax", b.cast(inside, DType::Float32), Dims{1}, true);
    y = b.where(greater(b, filled, b.scalar(DType::Float32, 0.5)), most, b.scalar(dtype, 0.0));
  } else {
    Value* matrix = b.cast(inside, dtype);
    if (mode == 1) {
      Value* count = b.reduce("ReduceSum", matrix, Dims{1}, true);
      matrix = b.div(matrix, maximum(b, count, b.scalar(dtype, 1.0)));
    }
    y = b.matmul(matrix, rows);
  }
  Values results(op.node().output_count(), nullptr);
  results[0] = y;
  return Outputs::many(results);
}

// aten::one_hot. If num_classes is not specified, it is the largest index plus one, computed at run time.
Outputs one_hot(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  Value* classes = op.scalar("num_classes", DType::Int64);
  const bool counts = op.is_constant("num_classes") && op.integer("num_classes") < 0;
  if (counts) classes = b.add(b.reduce("ReduceMax", x, {}, false), b.int64(1));
  if (!counts || b.may_be_negative(x)) x = b.element_index(x, classes);
  const std::int64_t rank = op.rank_of(x);
  if (op.opset() >= 9 && rank > 0)
    return b.op("OneHot", {x, b.reshape(classes, {1}), b.int64s({0, 1})}, {{"axis", std::int64_t{-1}}});
  Value* spread = rank == 0 ? b.reshape(x, {1}) : b.unsqueeze(x, {rank});
  return b.cast(equal(b, spread, b.range(classes)), DType::Int64);
}

constexpr Row kEmbeddingRows[] = {
    {"aten::embedding", 7, embedding},
    {"aten::embedding_bag", 7, embedding_bag},
    {"aten::_embedding_bag", 7, embedding_bag},
    {"aten::_embedding_bag_forward_only", 7, embedding_bag},
    {"aten::one_hot", 7, one_hot},
};

}  // namespace

std::span<const Row> embedding_rows() { return kEmbeddingRows; }

}  // namespace tonnx::lower
