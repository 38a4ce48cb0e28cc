// References and contents that an If or an index decides. What a block of an If yields or stores must be visible after
// the If: it is from before the If, or a result of the If can return it, and the operands of the views between.
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

// True if the value that a block of the If yields or stores, or one nested in it, can be a candidate after the If.
bool AliasForest::can_select(Value* yield, const Node& branch, Seen& seen) const {
  if (is_never(yield) || !is_inside(*yield->node(), branch) || !seen.insert(yield).second) return true;
  const Alias& alias = of(yield);
  if (alias.view && !can_repeat(*alias.view, branch)) return false;
  if (alias.parent) return can_select(alias.parent, branch, seen);
  if (const Selection* selected = selection(yield)) {
    bool can = true;
    for_each_decider(selected->choice, [&](const Node& by) { can = can && can_export(*decision_of(by), branch); });
    for_each_leaf(selected->choice, [&](Value* one, const Node*) { can = can && can_select(one, branch, seen); });
    return can;
  }
  if (yield->type().is(Type::Kind::Tensor) || !is_memory(yield->type())) return can_export(*yield, branch);
  const Contents::Known content = contents_.of(yield);
  return is_precise_ && content && can_select(changes_of({.content = content}), branch, seen);
}

bool AliasForest::can_select(const Changes& changes, const Node& branch, Seen& seen) const {
  bool can = true;
  for_each_decider(changes,
                   [&](const Node& by) { can = can && (&by == &branch || can_export(*decision_of(by), branch)); });
  for_each_leaf(changes, [&](const std::vector<Change>& delayed, const Node*) {
    for (const Change& change : delayed) {
      can = can && (!change.index() || can_export(*change.index(), branch));
      can = can && std::ranges::all_of(change.items, [&](Value* item) { return can_select(item, branch, seen); });
    }
  });
  return can;
}

// Makes the value a selection; false if it cannot be one. `branch`: the If that returns it, or null.
bool AliasForest::select(const Value* result, Choice<Value*> choice, const Node* branch) {
  const bool is_tensor = result->type().is(Type::Kind::Tensor);
  const bool is_container = result->type().is(Type::Kind::List) || result->type().is(Type::Kind::Dict);
  if (reshapes_ || !(is_tensor || (is_precise_ && is_container))) return false;
  Selection selected;
  Seen seen;
  bool can = true;
  for_each_leaf(choice, [&](Value* one, const Node*) {
    can = can && (!branch || can_select(one, *branch, seen));
    can = can && (is_tensor || !is_never(one));
    if (!can || is_never(one)) return;
    const Selection* inner = selection(root(one));
    selected.leaves += inner ? inner->leaves : 1;
    selected.is_of_views = selected.is_of_views || (inner && inner->is_of_views);
    for (const Value* name = one; name != root(one); name = of(name).parent)
      selected.is_of_views = selected.is_of_views || of(name).view || detached_.contains(name);
    for (Value* origin : roots(one))
      if (std::ranges::find(selected.roots, origin) == selected.roots.end()) selected.roots.push_back(origin);
  });
  // The content of a container is a tree of these leaves; tensors are read in a chain.
  if (!can || (is_container && selected.leaves > kMostLeaves)) return false;
  if (selected.is_of_views)
    for (const Value* one : selected.roots) views_[one].push_back({result, positions_.defined_at(*result)});
  selected.choice = std::move(choice);
  selections_[result] = std::move(selected);
  return true;
}

bool AliasForest::is_joined(const Node& node, const Value* list) const {
  return is_precise_ && node.is("prim::If") && !unjoined_.contains({&node, list});
}

std::vector<Value*> AliasForest::joined_lists(const Node& branch, const Contents& contents) const {
  std::vector<Value*> joined;
  for (const Block* block : branch.blocks())
    for (Value* list : list_writes(block))
      if (is_joined(branch, list) && (contents.of(list) || can_delay(list)) &&
          std::ranges::find(joined, list) == joined.end())
        joined.push_back(list);
  return joined;
}

// True if the program writes to the item, or to what it contains, and the If does not create that.
bool AliasForest::is_written_outside(Value* item, const Node& branch, Seen& seen) const {
  Value* origin = root(item);
  if (!is_memory(item->type()) || !seen.insert(origin).second) return false;
  const auto is_written_to = [&](const Value* one) {
    return (!written_before_ || written_before_->contains(one)) && !is_inside(*one->node(), branch);
  };
  return std::ranges::any_of(roots(origin), is_written_to) ||
         std::ranges::any_of(all_items(origin), [&](Value* inner) { return is_written_outside(inner, branch, seen); });
}

// True if what the containers have in one block of the If is available after it. Changes are delayed beyond the If only
// if what they store is written to.
bool AliasForest::can_join(const Node& branch, const Contents::State& yes, const Contents::State& no) const {
  Seen seen;
  const Changes a = changes_of(yes), b = changes_of(no);
  const auto can = [&] {
    return a == b || (count_leaves(a) + count_leaves(b) <= kMostContents && can_select(a, branch, seen) &&
                      can_select(b, branch, seen));
  };
  if (yes.content && no.content) return can();
  if (!join(branch, yes, no)) return false;
  bool is_useful = a == b;
  Seen noted;
  const auto note = [&](const std::vector<Change>& delayed, const Node*) {
    for (const Change& change : delayed)
      is_useful = is_useful || std::ranges::any_of(
                                   change.items, [&](Value* item) { return is_written_outside(item, branch, noted); });
  };
  for_each_leaf(a, note);
  for_each_leaf(b, note);
  return is_useful && can();
}

std::optional<Contents::State> AliasForest::join(const Node& branch, const Contents::State& yes,
                                                 const Contents::State& no) {
  if (yes.content && no.content)
    return Contents::State{.content = *yes.content == *no.content ? yes.content
                                                                  : std::make_shared<const Content>(
                                                                        Content(branch, {*yes.content, *no.content}))};
  const Changes a = changes_of(yes), b = changes_of(no);
  bool is_any_built = false, are_all_built = true;
  for (const Changes& changes : {a, b})
    for_each_leaf(changes, [&](const std::vector<Change>& delayed, const Node*) {
      const bool is_built = !delayed.empty() && !delayed.front().writer;
      is_any_built = is_any_built || is_built;
      are_all_built = are_all_built && is_built;
    });
  if (!are_all_built && is_any_built) return std::nullopt;
  if (a == b && !a.decider && a.one.empty()) return Contents::State();
  return Contents::State{.changes = std::make_shared<const Changes>(a == b ? a : Changes(branch, {a, b}))};
}

}  // namespace tonnx::program
