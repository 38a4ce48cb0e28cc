#include "lower/packed_sequence.h"

#include "aten/traits.h"
#include "lower/elementwise.h"

namespace tonnx::lower {
namespace {

bool is_over_packed(const ir::Node& node) {
  const ir::Schema* schema = node.schema();
  return schema && schema->overload == "data" && schema->index_of("batch_sizes") >= 0;
}

// Follows copies to the original batch sizes.
const ir::Value* origin_of(const ir::Value* sizes) {
  const ir::Node* node = sizes->node();
  for (; node && aten::traits_of(*node).alias == aten::Alias::SometimesSame; node = sizes->node())
    sizes = node->input(0);
  return sizes;
}

// True if the data is used only by recurrent operators and unpacking, with its own batch sizes.
bool is_only_read_packed(const ir::Value* data, const ir::Value* sizes) {
  for (const ir::Use& use : data->uses()) {
    const ir::Node& reader = *use.node;
    if (aten::traits_of(reader).type_only) continue;
    const bool is_over = is_over_packed(reader);
    if (!is_over && !reader.is("aten::_pad_packed_sequence")) return false;
    if (origin_of(reader.input("batch_sizes")) != origin_of(sizes)) return false;
    if (is_over && !is_only_read_packed(reader.output(0), sizes)) return false;
  }
  return true;
}

// Bool (time, batch): true if the step is within the sequence.
Value* reached(Builder& b, Value* x, Value* lengths) {
  return less(b, b.unsqueeze(b.range(b.size_scalar(x, 0)), {1}), b.unsqueeze(lengths, {0}));
}

Value* elements_of(const Op& op, Value* x, Value* lengths) {
  Builder& b = op.builder();
  Value* mask = b.cast(b.flatten_to_vector(reached(b, x, lengths)), DType::Float32);
  Value* places = b.reshape(b.op("NonZero", {mask}), {-1});
  const std::int64_t rank = op.rank_of(x);
  Value* rows = rank == 2 ? b.flatten_to_vector(x)
                          : b.reshape(x, b.join_sizes({b.int64s({-1}), b.slice(b.shape(x), 0, 2, rank)}));
  return b.take(rows, places, 0);
}

// Bool (time, batch): true if the sequence has an element at the step.
Value* running(Builder& b, Value* sizes) {
  Value* first = b.slice(sizes, 0, 0, 1);
  return less(b, b.unsqueeze(b.range(b.reshape(first, Dims{})), {0}), b.unsqueeze(sizes, {1}));
}

// The offset of the first element of each step.
Value* starts_of(Builder& b, Value* sizes) {
  if (b.opset() >= 11) return b.op("CumSum", {sizes, b.int64(0)}, {{"exclusive", std::int64_t{1}}});
  Value* step = b.range(b.size_scalar(sizes, 0));
  Value* before = b.cast(less(b, b.unsqueeze(step, {0}), b.unsqueeze(step, {1})), DType::Int64);
  return b.reduce("ReduceSum", b.mul(before, b.unsqueeze(sizes, {0})), Dims{1}, false);
}

// Padding repeats the first element.
Value* padded_elements(Builder& b, Value* data, Value* sizes) {
  Value* column = b.range(b.reshape(b.slice(sizes, 0, 0, 1), Dims{}));
  Value* places = b.add(b.unsqueeze(starts_of(b, sizes), {1}), b.unsqueeze(column, {0}));
  return b.take(data, b.where(running(b, sizes), places, b.int64(0)), 0);
}

}  // namespace

Value* checked_lengths(Builder& b, Value* lengths) {
  lengths = b.cast(lengths, DType::Int64);
  if (lengths->constant()) return lengths;
  Value* next = b.concat({b.slice(lengths, 0, 1, INT64_MAX), b.int64s({1})}, 0);
  Value* index = b.mul(b.cast(less(b, lengths, next), DType::Int64), b.int64(INT32_MAX));
  return b.add(lengths, b.gather(b.int64s({0}), index, 0));
}

Lowered packed_data(const Op& op, Value* x, Value* lengths, const ir::Value* sizes) {
  if (is_only_read_packed(op.node().output(0), sizes)) return {Lowered::Kind::List, nullptr, {x}};
  return {Lowered::Kind::One, elements_of(op, x, op->cast(lengths, DType::Int64)), {}};
}

Value* padded_data(const Op& op) {
  const Lowered* data = op.lowered(op.source("data"));
  if (data && data->kind == Lowered::Kind::List) return data->list.at(0);
  return padded_elements(op.builder(), op.tensor("data"), op->cast(op.tensor("batch_sizes"), DType::Int64));
}

Value* lengths_of(const Op& op) {
  const ir::Node* node = origin_of(op.source("batch_sizes"))->node();
  if (node && node->is("aten::_pack_padded_sequence"))
    return checked_lengths(op.builder(), op.value_of(node->input("lengths")));
  Value* steps = op->cast(running(op.builder(), op->cast(op.tensor("batch_sizes"), DType::Int64)), DType::Int64);
  return op->reduce("ReduceSum", steps, Dims{0}, false);
}

}  // namespace tonnx::lower
