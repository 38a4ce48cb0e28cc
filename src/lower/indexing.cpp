#include <algorithm>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/indices.h"
#include "lower/sizes.h"

// Reads elements by index or mask: index, index_select, gather, take, masked_select, nonzero.
namespace tonnx::lower {

bool is_mask(const Value* index) { return index->facts().dtype == DType::Bool || index->facts().dtype == DType::UInt8; }

Value* as_index(Op& op, Value* index) {
  const DType dtype = op.dtype_of(index);
  return dtype == DType::Int32 && !index->constant() ? index : op->cast(index, DType::Int64);
}

Value* as_places(Op& op, Value* index) {
  const ir::Facts& facts = index->facts();
  return facts.has_rank() && facts.rank() == 1 ? index : op->flatten_to_vector(index);
}

Values within_sizes(Op& op, Value* x, Values indices) {
  Builder& b = op.builder();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i]) continue;
    Value* size = b.size_scalar(x, static_cast<std::int64_t>(i));
    Value* last = b.sub(size, b.int64(1));
    indices[i] = minimum(b, maximum(b, b.cast(indices[i], DType::Int64), b.op("Neg", {size})), last);
  }
  return indices;
}

Indexing indexing_of(Op& op, const Values& indices) {
  Indexing result;
  std::int64_t axis = 0;
  for (Value* index : indices) {
    if (!index) {
      ++axis;
      continue;
    }
    if (!is_mask(index)) {
      result.axes.push_back(axis);
      result.positions.push_back(op->cast(index, DType::Int64));
      ++axis;
      continue;
    }
    const std::int64_t rank = op.rank_of(index);
    if (rank == 0) op.refuse("a mask of rank 0 together with other indices has no ONNX form");
    Value* where = op->op("NonZero", {op->cast(index, DType::Bool)});
    for (std::int64_t i = 0; i < rank; ++i) {
      result.axes.push_back(axis++);
      result.positions.push_back(op->gather(where, op->int64(i), 0));
    }
  }
  if (result.axes.empty()) op.refuse_argument("indices", "must contain a tensor");
  result.adjacent = result.axes.back() - result.axes.front() + 1 == static_cast<std::int64_t>(result.axes.size());
  return result;
}

Value* flat_position_of(Op& op, Value* x, std::int64_t first, Values indices) {
  // The first index is out of range where the flat one is.
  for (std::size_t k = 0; k < indices.size(); ++k)
    indices[k] = op->element_from_front(indices[k], x, first + static_cast<std::int64_t>(k), k > 0);
  return op->flat_position(x, first, indices);
}

namespace {

// If a mask is the only index: its true elements, in row-major order.
Value* compress(Op& op, Value* x, Value* mask, std::int64_t axis) {
  const std::int64_t rank = op.rank_of(mask);
  mask = op->cast(mask, DType::Bool);
  if (rank == 0) return op->op("Compress", {op->unsqueeze(x, {axis}), op->reshape(mask, {1})}, {{"axis", axis}});
  Value* merged = merge_axes(op, x, axis, rank);
  return op->op("Compress", {merged, rank == 1 ? mask : op->flatten_to_vector(mask)}, {{"axis", axis}});
}

Value* read_at(Op& op, Value* x, const Values& indices) {
  const auto present = [](const Value* v) { return v != nullptr; };
  const auto only = std::find_if(indices.begin(), indices.end(), present);
  if (only == indices.end()) return x;
  if (std::count_if(indices.begin(), indices.end(), present) == 1) {
    const std::int64_t axis = only - indices.begin();
    return is_mask(*only) ? compress(op, x, *only, axis) : op->gather(x, as_index(op, *only), axis);
  }
  const Indexing i = indexing_of(op, indices);
  if (!i.adjacent) x = op->transpose(x, order_with_front(op.rank_of(x), i.axes));
  const auto count = static_cast<std::int64_t>(i.axes.size());
  Value* flat = flat_position_of(op, x, i.first_result_axis(), i.positions);
  return op->take(merge_axes(op, x, i.first_result_axis(), count), flat, i.first_result_axis());
}

Outputs index(Op& op) { return read_at(op, op.tensor("self"), op.optional_tensors("indices")); }

// aten::_unsafe_masked_index: elements outside the mask are read at a clamped index and then replaced by the fill
Outputs masked_index(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  Value* read = read_at(op, x, within_sizes(op, x, op.optional_tensors("indices")));
  return b.where(b.cast(op.tensor("mask"), DType::Bool), read, op.scalar("fill", op.dtype_of(read)));
}

Outputs index_select(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  Value* indices = as_places(op, as_index(op, op.tensor("index")));
  Value* y = op->take(at_least_vector(op, x), op->element_index(indices), axis);
  return op.rank_of(x) == 0 ? op->reshape(y, Dims{}) : y;
}

Outputs gather(Op& op) {
  Value* x = op.tensor("self");
  const std::int64_t axis = op.axis("dim", x);
  Value* index = as_index(op, op.tensor("index"));
  const auto wanted = index->facts().fixed_dims();
  const bool nothing = wanted && std::find(wanted->begin(), wanted->end(), 0) != wanted->end();
  if (nothing && op.rank_of(index) != op.rank_of(x))
    return op->constant_of_shape(op->int64s(*wanted), op.dtype_of(x), 0);
  index = op->element_index(index);
  Value* y = op->gather_elements(at_least_vector(op, x), at_least_vector(op, index), axis);
  return op.rank_of(index) == 0 ? op->reshape(y, Dims{}) : y;
}

Outputs take(Op& op) {
  return op->gather(op->flatten_to_vector(op.tensor("self")), as_index(op, op.tensor("index")), 0);
}

// aten::take_along_dim: both tensors broadcast, except along the axis itself, where indices are taken modulo the size.
Outputs take_along_dim(Op& op) {
  Value* x = op.tensor("self");
  Value* index = as_index(op, op.tensor("indices"));
  if (op.is_none("dim")) return op->gather_elements(op->flatten_to_vector(x), op->flatten_to_vector(index), 0);
  const std::int64_t axis = op.axis("dim", x);
  const auto without_axis = [&](Value* v) {
    const std::int64_t rank = op.rank_of(v);
    Values parts{sizes_between(op, v, 0, axis), op->int64s({1}), sizes_between(op, v, axis + 1, rank)};
    std::erase_if(parts, [&](const Value* p) { return op.fixed_size(p, 0) == 0; });
    return op->concat(parts, 0);
  };
  if (op.rank_of(index) != op.rank_of(x)) op.refuse_argument("indices", "must have the rank of the input");
  if (!same_sizes(x, index, axis)) {
    Value* shape_of_index = without_axis(index);
    index = op->expand(index, without_axis(x));
    x = op->expand(x, shape_of_index);
  }
  // GatherElements fails at index 0 of an empty axis.
  Value* size = maximum(op.builder(), op->size_scalar(x, axis), op->int64(1));
  return op->gather_elements(x, remainder(op.builder(), op->cast(index, DType::Int64), size), axis);
}

Outputs masked_select(Op& op) {
  Value* x = op.tensor("self");
  Value* mask = op->cast(op.tensor("mask"), DType::Bool);
  if (!same_sizes(x, mask)) op->broadcast(x, mask);
  return op->op("Compress", {op->flatten_to_vector(x), op->flatten_to_vector(mask)}, {{"axis", std::int64_t{0}}});
}

// One row of indices for each nonzero element.
Value* nonzero_rows(Op& op, Value* x) {
  Value* columns = op->op("NonZero", {at_least_vector(op, op->cast(x, DType::Bool))});
  Value* rows = op->transpose(columns, {1, 0});
  return op.rank_of(x) == 0 ? op->slice(rows, 1, 0, 0) : rows;
}

Outputs nonzero(Op& op) { return nonzero_rows(op, op.value_of(op.node().input(0))); }

// aten::nonzero_numpy, aten::where(condition): a vector of indices for each axis
Outputs nonzero_columns(Op& op) {
  Value* x = op.value_of(op.node().input(0));
  Value* columns = op->op("NonZero", {at_least_vector(op, op->cast(x, DType::Bool))});
  Values parts;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(op.rank_of(x), 1); ++i)
    parts.push_back(op->gather(columns, op->int64(i), 0));
  return Outputs::list(parts);
}

// aten::_padded_dense_to_jagged_forward: from each row as many elements as its two offsets span, concatenated
Outputs padded_to_jagged(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("dense");
  const Values all = op.tensors("offsets");
  if (all.size() != 1) op.refuse_argument("offsets", "must be one tensor");
  Value* offsets = b.cast(all.front(), DType::Int64);
  Value* lengths = b.sub(b.slice(offsets, 0, 1, INT64_MAX), b.slice(offsets, 0, 0, -1));
  Value* places = b.unsqueeze(b.range(b.size_scalar(x, 1)), {0});
  return compress(op, x, less(b, places, b.unsqueeze(lengths, {1})), 0);
}

constexpr Row kIndexingRows[] = {
    {"aten::index", 7, index},
    {"aten::_unsafe_index", 7, index},
    {"aten::_unsafe_masked_index", 9, masked_index},
    {"aten::index_select", 7, index_select},
    {"aten::gather", 7, gather},
    {"aten::take", 7, take},
    {"aten::take_along_dim", 7, take_along_dim},
    {"aten::masked_select", 9, masked_select},
    {"aten::_padded_dense_to_jagged_forward", 9, padded_to_jagged},
    {"aten::nonzero", 9, nonzero},
    {"aten::argwhere", 9, nonzero},
    {"aten::nonzero_numpy", 9, nonzero_columns},
    {"aten::where", 9, nonzero_columns},
};

}  // namespace

std::span<const Row> indexing_rows() { return kIndexingRows; }

}  // namespace tonnx::lower
