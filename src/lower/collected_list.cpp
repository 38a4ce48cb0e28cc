#include "lower/collected_list.h"

#include <algorithm>

#include "aten/containers.h"
#include "ir/merge.h"
#include "lower/list_facts.h"
#include "lower/sequence.h"

namespace tonnx::lower {
namespace {

bool same_known_form(const ir::Facts& a, const ir::Facts& b) {
  return a.dtype == b.dtype && a.dims && b.dims && ir::same_dims(*a.dims, *b.dims);
}

// The tensors that an iteration appends to the list, if the list is only appended to.
std::optional<std::vector<const ir::Value*>> put_in_a_turn(const ir::Block& body, std::size_t k) {
  const ir::Value* list = body.inputs()[k + 1];
  const ir::Value* end = body.outputs()[k + 1];
  std::vector<const ir::Value*> items;
  while (list != end) {
    if (list->uses().size() != 1) return std::nullopt;
    const ir::Use& use = list->uses().front();
    const ir::Node* more = aten::put_behind(*use.node);
    if (!more || use.index != 0 || use.node->parent() != &body) return std::nullopt;
    items.insert(items.end(), more->inputs().begin(), more->inputs().end());
    list = use.node->output();
  }
  if (items.empty() || end->uses().size() != 1) return std::nullopt;
  return items;
}

}  // namespace

std::optional<CollectedList> CollectedList::find(const Op& op, std::size_t k) {
  const ir::Node& loop = op.node();
  const ir::Type& type = loop.output(k)->type();
  if (!type.is_tensor_list() && !type.is_number_list()) return std::nullopt;
  const auto items = put_in_a_turn(*loop.block(0), k);
  if (!items) return std::nullopt;
  if (type.is_number_list()) {
    const DType numbers = number_dtype(type.elements.at(0), {});
    return numbers == DType::Undefined ? std::nullopt : std::optional(CollectedList(op, k, items->size(), numbers));
  }
  const auto before = static_items(op, loop.input(k + 2));
  if (!before) return std::nullopt;
  const ir::Facts& form = items->front()->facts();
  const bool is_split =
      op->accepts("SplitToSequence", form.dtype) && !op->avoids(ir::Defect::SequenceSplit, form.dtype);
  if (op.opset() >= 11 && !is_split) return std::nullopt;
  for (const ir::Value* item : *items)
    if (!item->type().is(ir::Type::Kind::Tensor) || !same_known_form(item->facts(), form)) return std::nullopt;
  for (const ir::Facts& item : *before)
    if (!same_known_form(item, form)) return std::nullopt;
  if (items->size() > 1 && op.opset() < 14 && !surely_holds_elements(form)) return std::nullopt;
  if (op.opset() < 11) op.needs_opset(11, "a list of tensors that a loop with a dynamic trip count appends to");
  return CollectedList(op, k, items->size(), DType::Undefined);
}

void CollectedList::enter() const {
  op_->bind(op_->node().block(0)->inputs()[k_ + 1], {Lowered::Kind::List, nullptr, {}});
}

Value* CollectedList::leave() const {
  if (numbers_ != DType::Undefined) return op_->vector_of(op_->node().block(0)->outputs()[k_ + 1], numbers_);
  Values items = op_->items_of(op_->node().block(0)->outputs()[k_ + 1]);
  if (count_ == 1) return items.front();
  Builder& b = op_->builder();
  for (Value*& item : items) item = b.unsqueeze(item, {0});
  return b.concat(std::move(items), 0);
}

Lowered CollectedList::receive(Value* collected) const {
  Builder& b = op_->builder();
  if (numbers_ != DType::Undefined)
    return {Lowered::Kind::One,
            b.concat({op_->vector_of(op_->node().input(k_ + 2), numbers_), b.flatten_to_vector(collected)}, 0),
            {}};
  if (count_ > 1) {
    Value* turns = b.size(collected, 0);
    Value* shape = b.shape(collected);
    Value* form = b.slice(shape, 0, 2, INT64_MAX);
    collected =
        b.reshape_exactly(collected, b.concat({b.mul(turns, b.int64(static_cast<std::int64_t>(count_))), form}, 0));
  }
  Values parts;
  for (Value* item : op_->items_of(op_->node().input(k_ + 2))) parts.push_back(b.unsqueeze(item, {0}));
  parts.push_back(collected);
  return {Lowered::Kind::Sequence, unbind_to_sequence(b, b.concat(std::move(parts), 0), 0), {}};
}

}  // namespace tonnx::lower
