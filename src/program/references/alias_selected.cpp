// Results of Ifs that are one of two tensors. Each candidate must be visible after the If: it is from before the If, or
// a result of the If can return it, and the operands of the views between.
#include <algorithm>

#include "ir/control_flow.h"
#include "program/edit.h"
#include "program/references/alias.h"
#include "program/references/names.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// True if the value is defined outside of the If, or in Ifs that can return it.
bool can_export(const Value& value, const Node& branch) {
  if (value.node()->is("prim::Constant") || !is_inside(*value.node(), branch)) return true;
  for (const Node* owner = value.node()->home()->owner(); owner->is("prim::If"); owner = owner->home()->owner())
    if (owner == &branch) return true;
  return false;
}

bool can_repeat(const Node& view, const Node& branch) {
  const auto can = [&](const Value* operand) {
    if (!operand->type().is(Type::Kind::List) || !is_inside(*operand->node(), branch))
      return can_export(*operand, branch);
    if (operand->node()->is("prim::Constant")) return true;
    const auto can_item = [&](const Value* item) { return can_export(*item, branch); };
    return is_fixed_list(*operand) && std::ranges::all_of(operand->node()->inputs(), can_item);
  };
  return is_view(view) && std::all_of(view.inputs().begin() + 1, view.inputs().end(), can);
}

}  // namespace

const Selection* AliasForest::selection(const Value* root) const {
  const auto found = selections_.find(root);
  return found == selections_.end() ? nullptr : &found->second;
}

std::vector<Value*> AliasForest::roots(Value* value) const {
  Value* one = root(value);
  const Selection* selected = selection(one);
  return selected ? selected->roots : std::vector<Value*>{one};
}

bool AliasForest::is_written(const Value* root) const {
  const Selection* selected = selection(root);
  const auto is_one_written = [&](const Value* one) { return written_.contains(one); };
  return selected ? std::ranges::any_of(selected->roots, is_one_written) : is_one_written(root);
}

// True if the value that a block of the If yields, or one nested in it, can be a candidate.
bool AliasForest::can_select(Value* yield, const Node& branch, Seen& seen) const {
  if (is_never(yield) || !is_inside(*yield->node(), branch) || !seen.insert(yield).second) return true;
  const Alias& alias = of(yield);
  if (alias.view && !can_repeat(*alias.view, branch)) return false;
  if (alias.parent) return can_select(alias.parent, branch, seen);
  const Selection* selected = selection(yield);
  if (!selected) return yield->type().is(Type::Kind::Tensor) && can_export(*yield, branch);
  return can_export(*selected->branch->input(), branch) &&
         std::ranges::all_of(selected->candidates, [&](Value* one) { return can_select(one, branch, seen); });
}

// Makes the result of the If a selection; false if it cannot be one.
bool AliasForest::select(const Value* result, Node& branch) {
  Selection selected{&branch, {}, {}};
  Seen seen;
  if (reshapes_ || !result->type().is(Type::Kind::Tensor)) return false;
  for (std::size_t k = 0; k < 2; ++k) {
    Value* yield = selected.candidates[k] = branch.block(k)->outputs()[result->index()];
    if (!can_select(yield, branch, seen)) return false;
    if (is_never(yield)) continue;
    const Selection* inner = selection(root(yield));
    selected.is_of_views = selected.is_of_views || (inner && inner->is_of_views);
    for (const Value* name = yield; name != root(yield); name = of(name).parent)
      selected.is_of_views = selected.is_of_views || of(name).view || detached_.contains(name);
    for (Value* one : roots(yield))
      if (std::ranges::find(selected.roots, one) == selected.roots.end()) selected.roots.push_back(one);
  }
  if (selected.is_of_views)
    for (const Value* one : selected.roots) views_[one].push_back({result, positions_.at(&branch).end});
  selections_[result] = std::move(selected);
  return true;
}

}  // namespace tonnx::program
