#include "program/loop_memory.h"

#include <algorithm>
#include <unordered_set>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/writes.h"
#include "program/alias.h"
#include "program/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

// What a loop carries at one place: before it, in a turn, at the end of one, and behind it.
void add_carried(const Node& loop, std::size_t index, std::vector<const Value*>& open) {
  const Block& body = *loop.block(0);
  open.insert(open.end(), {loop.input(index + 2), body.inputs()[index + 1], body.outputs()[index + 1], loop.output(index)});
}

bool gives_fresh(const Node& node) {
  for (std::size_t i = 0; i < node.output_count(); ++i)
    if (is_memory(node.output(i)->type()) && relation_of(node, i).kind != Relation::Kind::Fresh) return false;
  return true;
}

// Whether a list or tuple that is built of tensors is read by operators that keep nothing of it.
bool is_only_read(const Value& list) {
  return std::ranges::all_of(list.uses(), [](const Use& use) {
    const Node& node = *use.node;
    const bool is_plain = node.schema() && node.blocks().empty() && aten::traits_of(node).container == Container::None;
    return is_plain && !writes(node) && gives_fresh(node);
  });
}

}  // namespace

// Whether the end of one block hands the value on, and all others that read it keep nothing of it.
bool LoopMemory::is_handed_on_once(const Value& value) const {
  std::size_t ends = 0;
  const auto is_known = [&](const Use& use) {
    const Node& node = *use.node;
    if (places_.ends.contains(&node)) return ++ends == 1;
    if (!node.schema() || !node.blocks().empty() || aten::traits_of(node).container != Container::None) return false;
    return gives_fresh(node) || (writes_argument(node, use.index) && node.output()->is_unused());
  };
  return std::ranges::all_of(value.uses(), is_known);
}

bool LoopMemory::is_new(const Value* value, const Node& owner) const {
  const Node& node = *value->node();
  if (!places_.is_inside(node, owner)) return false;
  if (node.is("prim::Loop")) {
    const Value* start = node.input(value->index() + 2);
    const Value* end = node.block(0)->outputs()[value->index() + 1];
    while (places_.is_inside(*end->node(), node) && written_by(*end)) end = written_by(*end);
    const bool starts_new = is_never(start) || (start->uses().size() == 1 && is_new(start, owner));
    if (!starts_new || !is_handed_on_once(*end)) return false;
    return end == node.block(0)->inputs()[value->index() + 1] || is_new(end, node);
  }
  return node.parent() && is_new_tensor(*value);
}

bool LoopMemory::stays(const Value* end, const std::function<bool(std::size_t)>& is_carried) const {
  Names open = {end};
  std::unordered_set<const Value*> seen;
  while (!open.empty()) {
    const Value* name = open.back();
    open.pop_back();
    if (is_never(name) || !places_.is_inside(*name->node(), loop_) || !seen.insert(name).second) continue;
    add_origins(*name, open);
    const auto is_known = [&](const Use& use) { return add_readers(use, is_carried, open); };
    if (!std::ranges::all_of(name->uses(), is_known)) return false;
  }
  return true;
}

void LoopMemory::add_origins(const Value& name, Names& open) const {
  const Node& node = *name.node();
  if (node.is("prim::If")) {
    for (const Block* side : node.blocks()) open.push_back(side->outputs()[name.index()]);
  } else if (node.is("prim::Loop")) {
    add_carried(node, name.index(), open);
  } else if (const Value* same = written_by(name)) {
    open.push_back(same);
  }
}

bool LoopMemory::add_readers(const Use& use, const std::function<bool(std::size_t)>& is_carried, Names& open) const {
  const Node& node = *use.node;
  if (const auto end = places_.ends.find(&node); end != places_.ends.end()) {
    const Node* owner = end->second->owner();
    if (owner == &loop_) return use.index > 0 && is_carried(use.index - 1);
    if (owner->is("prim::If")) {
      open.push_back(owner->output(use.index));
    } else {
      add_carried(*owner, use.index - 1, open);
    }
    return true;
  }
  if (node.is("prim::Loop") && use.index >= 2) {
    add_carried(node, use.index - 2, open);
    return true;
  }
  const Container form = aten::traits_of(node).container;
  if (form == Container::List || form == Container::Tuple) return is_only_read(*node.output());
  const bool takes_apart = form == Container::ListUnpack || (form == Container::Item && use.index == 0);
  if (!takes_apart && (!node.schema() || !node.blocks().empty() || form != Container::None)) return false;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value* out = node.output(i);
    if (!is_memory(out->type())) continue;
    const Relation relation = relation_of(node, i);
    if (takes_apart || written_by(*out) == node.input(use.index)) {
      open.push_back(out);
    } else if (relation.kind == Relation::Kind::Unknown) {
      return false;
    } else if (relation.kind != Relation::Kind::Fresh && relation.input == use.index) {
      open.push_back(out);
    }
  }
  return true;
}

}  // namespace tonnx::program
