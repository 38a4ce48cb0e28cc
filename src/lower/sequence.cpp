#include "lower/sequence.h"

#include <algorithm>
#include <numeric>

#include "ir/merge.h"
#include "lower/loop.h"
#include "lower/sizes.h"

namespace tonnx::lower {
namespace {

// Sets the facts that hold for every item of both.
Value* with_items_of(Value* result, const ir::Facts& a, const ir::Facts& b) {
  ir::Facts facts = ir::join(a, b);
  facts.constant = nullptr;
  if (facts.dtype == DType::Undefined) facts.dtype = a.dtype == DType::Undefined ? b.dtype : a.dtype;
  result->set_type(ir::Type::list(ir::Type::of(ir::Type::Kind::Tensor)));
  result->set_facts(std::move(facts));
  return result;
}

// The tensor that the sequence was split from along its first axis; null for other sequences.
Value* stacked(const Value* sequence) {
  const ir::Node* node = sequence->node();
  if (!node || !node->is("onnx::SplitToSequence") || node->input_count() > 1) return nullptr;
  const auto* axis = node->attribute_as<std::int64_t>("axis");
  const auto* keeps = node->attribute_as<std::int64_t>("keepdims");
  return axis && *axis == 0 && keeps && *keeps == 0 ? node->input(0) : nullptr;
}

Value* move_first_axis(Builder& b, Value* x, std::int64_t axis) {
  Dims order(static_cast<std::size_t>(x->facts().rank()));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 1, order.begin() + axis + 1);
  return b.transpose(x, order);
}

bool is_empty(const Value* sequence) { return sequence->node() && sequence->node()->is("onnx::SequenceEmpty"); }

}  // namespace

void require_one_dtype(DType a, DType b) {
  if (a == b || a == DType::Undefined || b == DType::Undefined) return;
  throw Refusal("a list that becomes an ONNX sequence contains " + std::string(ir::name_of(a)) + " and " +
                std::string(ir::name_of(b)) + " tensors; cast them to one dtype with to()");
}

Value* lowered_sequence(const Op& op, const ir::Value* source) {
  const Lowered* known = op.lowered(source);
  return known && known->kind == Lowered::Kind::Sequence ? known->one : nullptr;
}

Value* sequence_item(Builder& b, Value* sequence, Value* position) {
  if (Value* x = stacked(sequence)) return b.gather(x, position, 0);
  Value* item = b.op("SequenceAt", {sequence, position});
  ir::Facts facts = sequence->facts();
  ir::merge_agreeing(item->facts(), facts);
  return item;
}

Value* sequence_length(Builder& b, Value* sequence) {
  if (Value* x = stacked(sequence)) return b.size_scalar(x, 0);
  return b.op("SequenceLength", {sequence});
}

Value* same_sequence(Builder& b, Value* sequence) {
  const ir::Facts facts = sequence->facts();
  Value* same = nullptr;
  if (b.opset() >= 14) {
    same = b.op("Identity", {sequence});
  } else {
    if (facts.dtype == DType::Undefined)
      throw Refusal("copying a list whose items have an unknown dtype needs opset 14 or newer");
    Value* longer = b.op("SequenceInsert", {sequence, b.scalar(facts.dtype, std::int64_t{0})});
    same = b.op("SequenceErase", {longer});
  }
  return with_items_of(same, facts, facts);
}

Value* require_of_sequence(Builder& b, Value* sequence, Value* condition) {
  const ir::Facts facts = sequence->facts();
  const auto erase = [&] { return b.op("SequenceErase", {sequence, b.op("SequenceLength", {sequence})}); };
  return with_items_of(either(b, condition, [&] { return same_sequence(b, sequence); }, erase), facts, facts);
}

Value* append(Builder& b, Value* sequence, const Values& items) {
  for (Value* item : items) {
    const ir::Facts before = is_empty(sequence) ? item->facts() : sequence->facts();
    require_one_dtype(before.dtype, item->facts().dtype);
    sequence = with_items_of(b.op("SequenceInsert", {sequence, item}), before, item->facts());
  }
  return sequence;
}

Value* append_part(Builder& b, Value* sequence, Value* other, Value* begin, Value* count, Value* step) {
  if (b.opset() < 13) throw Refusal("joining lists whose lengths are known at run time only needs opset 13 or newer");
  const ir::Facts before = is_empty(sequence) ? other->facts() : sequence->facts();
  require_one_dtype(before.dtype, other->facts().dtype);
  const auto turn = [&](Value* number, const Values& state) {
    Value* so_far = with_items_of(state[0], before, other->facts());
    Value* position = b.add(begin, step ? b.mul(number, step) : number);
    return Pass{nullptr, {append(b, so_far, {sequence_item(b, other, position)})}};
  };
  const Values ends = loop(b, count, nullptr, {sequence}, turn, StateFacts::Inferred);
  return with_items_of(ends[0], before, other->facts());
}

Value* of_any_shape(Builder& b, Value* sequence) {
  const DType dtype = sequence->facts().dtype;
  if (is_empty(sequence) || dtype == DType::Undefined) return sequence;
  Value* all = b.op("SequenceEmpty", {}, {{"dtype", static_cast<std::int64_t>(ir::onnx_type(dtype))}});
  if (sequence->node() && sequence->node()->is("onnx::SequenceConstruct")) {
    for (Value* item : sequence->node()->inputs()) all = b.op("SequenceInsert", {all, item});
  } else {
    all = append_part(b, all, sequence, b.int64(0), sequence_length(b, sequence));
  }
  return with_items_of(all, {dtype, std::nullopt, nullptr}, {dtype, std::nullopt, nullptr});
}

bool surely_holds_elements(const ir::Facts& facts) {
  return facts.dims &&
         std::ranges::all_of(*facts.dims, [](const ir::Dim& dim) { return dim.is_fixed() && dim.size() > 0; });
}

Value* concat_sequence(Op& op, Value* sequence, std::int64_t axis, bool fresh) {
  const bool can_merge = fresh || op.opset() >= 14 || surely_holds_elements(sequence->facts());
  if (Value* x = stacked(sequence); x && x->facts().has_rank() && can_merge) {
    x = axis == 0 ? x : move_first_axis(op.builder(), x, axis);
    return fresh ? x : merge_axes(op, x, axis, 2);
  }
  return op->op("ConcatFromSequence", {sequence}, {{"axis", axis}, {"new_axis", std::int64_t{fresh}}});
}

Value* unbind_to_sequence(Builder& b, Value* x, std::int64_t axis) {
  Value* sequence = b.op("SplitToSequence", {x}, {{"axis", axis}, {"keepdims", std::int64_t{0}}});
  ir::Facts item = x->facts();
  item.constant = nullptr;
  if (item.dims) item.dims->erase(item.dims->begin() + static_cast<std::ptrdiff_t>(axis));
  return with_items_of(sequence, item, item);
}

Value* split_to_sequence(Builder& b, Value* x, Value* sizes, std::int64_t axis) {
  Value* sequence = b.op("SplitToSequence", {x, sizes}, {{"axis", axis}});
  ir::Facts item = x->facts();
  item.constant = nullptr;
  if (item.dims) (*item.dims)[static_cast<std::size_t>(axis)] = ir::Dim();
  return with_items_of(sequence, item, item);
}

}  // namespace tonnx::lower
