#include "program/references/selections.h"

#include <algorithm>

namespace tonnx::program {

using ir::Value;

Selections::Which Selections::number_of(const Value* tensor) {
  const auto [entry, is_new] = numbers_.emplace(tensor, next_);
  if (is_new) ++next_;
  return entry->second;
}

Value* Selections::number_value(Value* tensor) {
  if (const Selection* chosen = find(tensor)) return chosen->number;
  Value*& constant = constants_[tensor];
  if (!constant) constant = Inserter(graph_.block().first()).integer(number_of(tensor));
  return constant;
}

const Selections::Selection* Selections::find(const Value* value) const {
  const auto found = std::ranges::find(selections_, value, &Selection::result);
  return found == selections_.end() ? nullptr : &*found;
}

const Selections::Tensors* Selections::tensors_of(const Value* value) const {
  const Selection* found = find(value);
  return found ? &found->tensors : nullptr;
}

Value* Selections::select(Inserter& insert, const Value& like, Value* number, Tensors tensors) {
  std::ranges::sort(tensors);
  const auto same = std::ranges::unique(tensors);
  tensors.erase(same.begin(), same.end());
  Value* result = choose(insert, like, number, tensors, 0);
  if (tensors.size() > 1) selections_.push_back({result, number, std::move(tensors)});
  return result;
}

Value* Selections::choose(Inserter& insert, const Value& like, Value* number, const Tensors& tensors,
                          std::size_t index) {
  const auto& [which, tensor] = tensors[index];
  if (index + 1 == tensors.size()) return tensor;
  Value* is_equal = insert.call("aten::eq.int", {number, insert.integer(which)});
  Value* chosen = insert.branch(
      is_equal, like.type(), [&](Inserter&) { return tensor; },
      [&](Inserter& other) { return choose(other, like, number, tensors, index + 1); });
  chosen->set_facts(like.facts());
  return chosen;
}

void Selections::expand(Value* value, Value* number, const Tensors& tensors) {
  if (const auto constant = constants_.find(value); constant != constants_.end()) {
    constant->second->replace_uses(number);
    for (Selection& selection : selections_)
      if (selection.number == constant->second) selection.number = number;
    constants_.erase(constant);
  }
  std::vector<Selection> old;
  const auto is_chosen = [&](const Selection& selection) {
    return std::ranges::any_of(selection.tensors, [&](const auto& entry) { return entry.second == value; });
  };
  for (Selection& selection : selections_)
    if (is_chosen(selection)) old.push_back(selection);
  std::erase_if(selections_, is_chosen);
  for (Selection& selection : old) {
    std::erase_if(selection.tensors, [&](const auto& entry) { return entry.second == value; });
    selection.tensors.insert(selection.tensors.end(), tensors.begin(), tensors.end());
    Inserter insert(selection.result->node());
    Value* flat = select(insert, *selection.result, selection.number, std::move(selection.tensors));
    selection.result->replace_uses(flat);
  }
}

}  // namespace tonnx::program
