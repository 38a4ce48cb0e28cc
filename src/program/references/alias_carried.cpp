// Loop-carried tensors that iterations exchange, rotate or replace, as selections: a number, which the loop carries,
// selects one of the tensors that they may be.
//
//   a, b = x.clone(), x * 2            candidates of both: the two tensors before the loop
//   for i in range(n):                 the loop carries two numbers, and exchanges these
//     a, b = b, a
//     a.add_(1)                        writes to the tensor that the number of `a` selects
//
// A tensor that an iteration creates and yields is a candidate in the next iteration. Its content is carried as storage
// of the first loop-carried value that yields it.
#include <algorithm>
#include <span>

#include "ir/control_flow.h"
#include "program/edit.h"
#include "program/nodes_where.h"
#include "program/references/alias.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::size_t kMostCandidates = 12;

bool add(Value* value, std::vector<Value*>& values) {
  if (std::ranges::find(values, value) != values.end()) return false;
  values.push_back(value);
  return true;
}

}  // namespace

// Inserts a decider for each loop-carried tensor. False if there is none.
bool AliasForest::insert_deciders() {
  if (reshapes_) return false;
  for_each_node(graph_.block(), [&](Node* node) {
    if (!node->is("prim::Loop")) return;
    for (std::size_t i = 0; i < node->output_count(); ++i) {
      const Value* param = node->block(0)->inputs()[i + 1];
      if (!param->type().is(Type::Kind::Tensor)) continue;
      Node* decider = graph_.create(std::string(kCarried), {}, 2);
      decider->set_location(node->location());
      copy_shape(*param, *decider->output(0));
      decider->output(1)->set_type(Type::of(Type::Kind::Int));
      decider->insert_before(node);
      positions_.place_before(decider, node);
      carried_[node].push_back({.index = i, .decider = decider});
    }
  });
  return !carried_.empty();
}

std::vector<Node*> AliasForest::deciders() const {
  std::vector<Node*> all;
  for (const auto& [loop, values] : carried_)
    for (const Carried& carried : values) all.push_back(carried.decider);
  return all;
}

Carried* AliasForest::find_carried(const Node& loop, std::size_t index) {
  const auto values = carried_.find(&loop);
  if (values == carried_.end()) return nullptr;
  const auto found = std::ranges::find(values->second, index, &Carried::index);
  return found == values->second.end() ? nullptr : &*found;
}

bool AliasForest::is_numbered(const Node& loop, std::size_t index) {
  const Carried* carried = find_carried(loop, index);
  return carried && carried->is_active;
}

std::vector<const Carried*> AliasForest::carried_in(const Node& loop) const {
  std::vector<const Carried*> active;
  const auto values = carried_.find(&loop);
  if (values == carried_.end()) return active;
  for (const Carried& carried : values->second)
    if (carried.is_active) active.push_back(&carried);
  return active;
}

std::optional<Choice<Value*>> AliasForest::tensors_of(Value* value, const Node& loop) const {
  if (is_never(value)) return value;
  Value* name = object_of(value);
  const bool is_outside = !is_inside(*name->node(), loop);
  if (const Selection* selected = selection(name)) {
    const auto tensors = replace_leaves<Value*>(selected->choice, [&](Value* one) { return tensors_of(one, loop); });
    bool are_visible = true;  // else they are defined in some runs only
    if (tensors)
      for_each_leaf(*tensors, [&](const Value* one, const Node*) {
        are_visible = are_visible && (is_never(one) || is_visible(*one, loop));
      });
    return is_outside && !are_visible ? name : tensors;
  }
  if (is_outside) return name;
  const bool is_param = name->node() == loop.block(0)->params();
  if (of(name).view || is_param || !name->type().is(Type::Kind::Tensor)) return std::nullopt;
  return name;
}

bool AliasForest::is_of_iteration(const Value* leaf, const Node& loop) const {
  const auto has_storage = [&](const Carried& carried) { return carried.storage() == leaf; };
  return is_inside(*leaf->node(), loop) || std::ranges::any_of(carried_.at(&loop), has_storage);
}

std::vector<const Carried*> AliasForest::owners_of(const Value* leaf, const Carried& carried,
                                                   std::span<const Carried* const> all) {
  std::vector<const Carried*> owners;
  for (const Carried* one : all) {
    if (std::ranges::find(one->leaves, leaf) == one->leaves.end()) continue;
    owners.push_back(one);
    if (one == &carried || one->leaves.size() == 1) break;
  }
  return owners;
}

// Makes the loop-carried tensor a name of its only candidate, or a selection. False if it cannot be one.
bool AliasForest::begin_carried(Node& loop, std::size_t index) {
  Carried* carried = find_carried(loop, index);
  if (!is_precise_ || !carried || !carried->is_numbered) return false;
  Value* start = loop.input(index + 2);
  Value* param = loop.block(0)->inputs()[index + 1];
  const auto starts = tensors_of(start, loop);
  if (!starts) return false;
  for_each_leaf(*starts, [&](Value* one, const Node*) {
    if (!is_never(one)) changed_ |= add(one, carried->candidates);
  });
  std::ranges::sort(carried->candidates, {}, &Value::id);
  carried->is_active = true;
  const std::vector<Value*>& candidates = carried->candidates;
  if (candidates.size() == 1) {
    set_alias(param, candidates.front(), nullptr);
  } else if (!candidates.empty()) {
    select(param, Choice<Value*>(*carried->decider, {candidates.begin(), candidates.end()}), nullptr);
  }
  set_alias(loop.output(index), object_of(param), nullptr);
  return true;
}

// Finds what the iteration yields for the loop-carried values that begin_carried() has accepted, and links the storage
// that they need. `shares`: what each loop-carried value of another kind may alias at the end of an iteration.
void AliasForest::end_carried(Node& loop, std::span<const Reached> shares) {
  const auto values = carried_.find(&loop);
  if (values == carried_.end()) return;
  const Block& body = *loop.block(0);
  std::vector<const Carried*> active;
  for (Carried& carried : values->second) {
    if (!carried.is_active) continue;
    const auto choice = tensors_of(body.outputs()[carried.index + 1], loop);
    carried.leaves.clear();
    if (choice) for_each_leaf(*choice, [&](Value* leaf, const Node*) { is_never(leaf) || add(leaf, carried.leaves); });
    carried.is_numbered = choice && carried.candidates.size() <= kMostCandidates;
    if (!carried.is_numbered) {
      for (Carried& one : values->second) one.candidates.clear();
      changed_ = true;
      return;
    }
    active.push_back(&carried);
  }
  const auto reached_by = [&](const Carried& carried) {  // by the storage, except what it certainly is
    std::vector<std::pair<Value*, Reached>> reached;
    for (Value* leaf : carried.leaves)
      if (is_of_iteration(leaf, loop)) reached.emplace_back(leaf, closure(leaf, kEnd, 0));
    return reached;
  };
  std::vector<std::vector<std::pair<Value*, Reached>>> all_reached;
  for (Carried& carried : values->second) {
    if (!carried.is_active) continue;
    all_reached.push_back(reached_by(carried));
    for (Value* leaf : carried.leaves) {
      if (!is_of_iteration(leaf, loop)) {
        changed_ |= add(leaf, carried.candidates);
        continue;
      }
      for (const Carried* owner : owners_of(leaf, carried, active)) {
        changed_ |= add(owner->storage(), carried.candidates);
        note_shared_elements(leaf, owner->storage());
      }
    }
    std::ranges::sort(carried.candidates, {}, &Value::id);
  }
  const auto link = [&](const Value* a, const Value* b, std::size_t depth) {
    join(a, b, first_position(a, b, &loop), depth);
  };
  for (std::size_t k = 0; k < active.size(); ++k) {
    if (all_reached[k].empty()) continue;
    Value* storage = active[k]->storage();
    written_.insert(storage);
    std::vector<Value*>& written = writes_[&body];
    add(storage, written);
    for (const auto& [leaf, reached] : all_reached[k]) {
      for (const auto& [other, depth] : reached) {
        const bool is_carried_on = std::ranges::find(body.inputs(), other) != body.inputs().end();
        if (other == leaf || other->node() == &loop || (is_inside(*other->node(), body) && !is_carried_on)) continue;
        link(storage, other, depth);
      }
      for (std::size_t j = 0; j < k; ++j)
        for (const auto& [other_leaf, others] : all_reached[j])
          if (const auto depth = common_depth(reached, others); depth && leaf != other_leaf)
            link(storage, active[j]->storage(), *depth);
      for (std::size_t j = 0; j < shares.size(); ++j) {
        const auto depth = common_depth(reached, shares[j]);
        if (!depth) continue;
        link(storage, body.inputs()[j + 1], *depth);
        link(storage, loop.output(j), *depth);
      }
    }
  }
}

}  // namespace tonnx::program
