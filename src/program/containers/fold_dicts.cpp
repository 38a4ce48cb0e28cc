// Dicts with constant keys: entries that are set right after the dict is created become operands of its constructor,
// and reads become the value of the entry.
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/control_flow.h"
#include "ir/writes.h"
#include "program/containers/entries.h"
#include "program/containers/items.h"
#include "program/containers/kept_keys.h"
#include "program/containers/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// The list of (key, value) tuples that aten::items returns.
Value* pair_list(Inserter& insert, const Type& type, std::span<Value* const> entries) {
  std::vector<Value*> pairs;
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2)
    pairs.push_back(insert.tuple(type.elements.at(0), entries.subspan(i, 2)));
  return insert.list(type, pairs);
}

// The entries of a dict that is created from a list of pairs; empty if they are not known.
std::optional<std::vector<Value*>> entries_of_pairs(const Node& node) {
  std::vector<Value*> operands;
  if (node.input_count() == 0) return operands;
  const Node& list = *node.input()->node();
  if (!aten::acts_as(list, aten::Container::List)) return std::nullopt;
  for (const Value* pair : list.inputs()) {
    const Node& tuple = *pair->node();
    if (!aten::acts_as(tuple, aten::Container::Tuple) || tuple.input_count() != 2) return std::nullopt;
    operands.insert(operands.end(), tuple.inputs().begin(), tuple.inputs().end());
  }
  return entries_of(operands);
}

bool fold_pairs(Node& node) {
  const auto entries = entries_of_pairs(node);
  if (!entries) return false;
  Inserter insert(&node);
  node.output()->replace_uses(insert.dict(node.output()->type(), *entries));
  return true;
}

// True if a node may run between the creation of a dict in `home` and a read of it.
bool may_precede(const Node& other, const Node& read, const ir::Block& home) {
  const auto beside = [&](const Node& node) { return ir::holder_in(*node.parent(), other); };
  const Node* node = &read;
  while (!beside(*node)) node = node->parent()->owner();
  for (const ir::Block* block = node->parent(); block != &home; block = block->owner()->parent())
    if (!block->owner()->is("prim::If")) return true;  // in an earlier turn
  const Node* end = beside(*node);
  if (end == node || !end->parent())
    return end == &other && end->parent();  // a loop that begins with the dict, or another way
  while (node && node != end) node = node->next();
  return !node;
}

// True if nothing that the node reads is changed before it: the dict, or the entry of its key.
bool is_settled(const Node& node) {
  const Value& dict = *node.input();
  const Container form = aten::traits_of(node).container;
  const bool reads_one = form == Container::Item || form == Container::Get || form == Container::Contains;
  const ir::Constant* asked = reads_one ? node.input(1)->constant() : nullptr;
  return std::ranges::all_of(dict.uses(), [&](const ir::Use& use) {
    if (only_asks(use) || !may_precede(*use.node, node, *dict.node()->parent())) return true;
    if (!asked || use.index != 0 || !aten::acts_as(*use.node, Container::SetItem)) return false;
    const ir::Constant* set = use.node->input(1)->constant();
    return set && !ir::same_key(*set, *asked);
  });
}

// Moves entries that are set right after a dict is created, before its first read, into its constructor.
bool gather(Node& made) {
  auto entries = entries_of(made.inputs());
  std::unordered_set<const Node*> readers;
  for (const ir::Use& use : made.output()->uses()) readers.insert(ir::holder_in(*made.parent(), *use.node));
  std::vector<Node*> gone;
  for (Node* node = made.next(); entries && node; node = node->next()) {
    if (!readers.contains(node)) continue;
    if (!aten::acts_as(*node, Container::SetItem) || node->input() != made.output()) break;
    const auto after = changed_entries(*node, Container::SetItem, *entries, nullptr);
    if (!after) break;
    entries = after;
    gone.push_back(node);
  }
  if (gone.empty()) return false;
  made.output()->replace_uses(Inserter(gone.back()).dict(made.output()->type(), *entries));
  for (Node* node : gone) node->erase();
  made.erase();
  return true;
}

// The result of a read of a dict that always has the same keys, if the keys decide it: a length, or the values at these
// keys.
Value* read_kept(const Node& node, std::span<Value* const> keys, Inserter& insert) {
  std::vector<Value*> entries;
  const Container form = aten::traits_of(node).container;
  for (const Value* key : keys) {
    Value* own = insert.constant(*key->constant());
    const bool has_value = form == Container::Values || form == Container::Items;
    entries.insert(entries.end(), {own, has_value ? get_entry(insert, node.input(), own) : own});
    if (!entries.back()) return nullptr;
  }
  return read_entries(node, entries, insert);
}

bool reads_keys(const Node& node) {
  switch (aten::traits_of(node).container) {
    case Container::Values:
    case Container::Items:
    case Container::Keys:
    case Container::Length:
    case Container::Contains: return node.input()->type().is(Type::Kind::Dict);
    default: return false;
  }
}

}  // namespace

Value* read_entries(const Node& node, std::span<Value* const> entries, Inserter& insert) {
  const Type& type = node.output()->type();
  switch (aten::traits_of(node).container) {
    case Container::Item: return entry_value(node, entries);
    case Container::Get: {
      Value* value = entry_value(node, entries);
      return value || !find_entry(entries, node.input(1)).is_known ? value : insert.none();
    }
    case Container::Contains: {
      const Lookup place = find_entry(entries, node.input(1));
      return place.is_known ? insert.boolean(place.value.has_value()) : nullptr;
    }
    case Container::Length: return insert.integer(static_cast<std::int64_t>(entries.size() / 2));
    case Container::Keys: return insert.list(type, keys_of(entries));
    case Container::Values: return insert.list(type, values_of(entries));
    case Container::Items: return pair_list(insert, type, entries);
    case Container::Copy: return insert.dict(type, entries);
    default: return nullptr;
  }
}

bool fold_dicts(ir::Graph& graph) {
  const bool is_written = has_writes(graph);
  bool changed = false;
  for (Node* dict : dicts_of(graph)) changed = gather(*dict) || changed;
  std::vector<Node*> settled, kept, made_of_pairs;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->output_count() != 1 || node->output()->is_unused()) return;
    if (!is_written && makes_dict_of_pairs(*node)) made_of_pairs.push_back(node);
    if (node->input_count() == 0) return;
    const bool is_made = aten::acts_as(*node->input()->node(), Container::Dict);
    if (is_made && (!is_written || is_settled(*node))) {
      settled.push_back(node);
    } else if (reads_keys(*node)) {
      kept.push_back(node);
    }
  });
  for (Node* node : made_of_pairs) changed = fold_pairs(*node) || changed;
  const auto replace = [&](Node& node, Value* result) {
    if (result) node.output()->replace_uses(result);
    changed = changed || result;
  };
  for (Node* node : settled) {
    const auto entries = entries_of(node->input()->node()->inputs());
    Inserter insert(node);
    if (entries) replace(*node, read_entries(*node, *entries, insert));
  }
  KeptKeys keys;
  for (Node* node : kept) {
    const std::span<Value* const> known = keys.of(*node->input());
    Inserter insert(node);
    if (!known.empty()) replace(*node, read_kept(*node, known, insert));
  }
  return changed;
}

}  // namespace tonnx::program
