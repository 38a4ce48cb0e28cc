#include "program/references/loop_memory.h"

#include <algorithm>
#include <unordered_set>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/references/alias.h"
#include "program/references/names.h"
#include "program/writes/views.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Use;
using ir::Value;

namespace {

// True if nothing escapes through the readers of a list or tuple of tensors.
bool is_only_read(const Value& list) {
  return std::ranges::all_of(list.uses(), [](const Use& use) {
    const Node& node = *use.node;
    const bool is_plain = node.schema() && node.blocks().empty() && aten::traits_of(node).container == Container::None;
    return is_plain && !writes(node) && returns_fresh(node);
  });
}

// True if at most one block yields the value, and it does not escape through its other readers.
bool is_yielded_at_most_once(const Value& value) {
  std::size_t yields = 0;
  const auto is_known = [&](const Use& use) {
    const Node& node = *use.node;
    if (node.edge_of()) return ++yields == 1;
    if (!node.schema() || !node.blocks().empty() || aten::traits_of(node).container != Container::None) return false;
    return returns_fresh(node) || (writes_argument(node, use.index) && node.output()->is_unused());
  };
  return std::ranges::all_of(value.uses(), is_known);
}

void add_origins(const Value& name, std::vector<const Value*>& worklist) {
  const std::vector<Value*> origins = handed_from(name);
  worklist.insert(worklist.end(), origins.begin(), origins.end());
  if (const Value* same = written_by(name)) worklist.push_back(same);
}

}  // namespace

bool LoopMemory::is_new(const Value* value, const Node& owner) {
  const Node& node = *value->node();
  if (!is_inside(node, owner)) return false;
  if (node.is("prim::Loop")) {
    const Value* start = node.input(value->index() + 2);
    const Value* end = node.block(0)->outputs()[value->index() + 1];
    while (is_inside(*end->node(), node) && written_by(*end)) end = written_by(*end);
    const bool starts_new = is_never(start) || (start->uses().size() == 1 && is_new(start, owner));
    if (!starts_new || !is_yielded_at_most_once(*end)) return false;
    return end == node.block(0)->inputs()[value->index() + 1] || is_new(end, node);
  }
  return node.parent() && is_new_tensor(*value);
}

bool LoopMemory::escapes_only_through(const Value* end, const std::function<bool(std::size_t)>& is_carried) const {
  Names worklist = {end};
  std::unordered_set<const Value*> seen;
  while (!worklist.empty()) {
    const Value* name = worklist.back();
    worklist.pop_back();
    if (is_never(name) || !is_inside(*name->node(), loop_) || !seen.insert(name).second) continue;
    add_origins(*name, worklist);
    const auto is_known = [&](const Use& use) { return add_readers(use, is_carried, worklist); };
    if (!std::ranges::all_of(name->uses(), is_known)) return false;
  }
  return true;
}

bool LoopMemory::add_readers(const Use& use, const std::function<bool(std::size_t)>& is_carried,
                             Names& worklist) const {
  const Node& node = *use.node;
  if (node.edge_of() && node.edge_of()->owner() == &loop_) return use.index > 0 && is_carried(use.index - 1);
  if (const std::vector<Value*> results = handed_to(use); !results.empty()) {
    worklist.insert(worklist.end(), results.begin(), results.end());
    return true;
  }
  const Container operation = aten::traits_of(node).container;
  if (operation == Container::List || operation == Container::Tuple) return is_only_read(*node.output());
  const bool reads_item = operation == Container::ListUnpack || (operation == Container::Item && use.index == 0);
  if (!reads_item && (!node.schema() || !node.blocks().empty() || operation != Container::None)) return false;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value* out = node.output(i);
    if (!is_memory(out->type())) continue;
    const Relation relation = relation_of(node, i);
    if (reads_item || written_by(*out) == node.input(use.index)) {
      worklist.push_back(out);
    } else if (relation.kind == Relation::Kind::Unknown) {
      return false;
    } else if (relation.kind != Relation::Kind::Fresh && relation.input == use.index) {
      worklist.push_back(out);
    }
  }
  return true;
}

}  // namespace tonnx::program
