// Reads of dicts whose keys are constants.
#include <algorithm>
#include <optional>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/edit.h"
#include "program/entries.h"
#include "program/items.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

// The list of (key, value) tuples that aten::items gives.
Value* pair_list(Inserter& insert, const Type& type, std::span<Value* const> entries) {
  std::vector<Value*> pairs;
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2)
    pairs.push_back(insert.tuple(type.elements.at(0), entries.subspan(i, 2)));
  return insert.list(type, pairs);
}

// The entries of a dict made of a list of pairs that the program builds here; none if they are not known.
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

// Whether nothing changes what a node reads of a dict: the dict, or the entry whose key it asks for.
bool is_settled(const Node& node) {
  const Value& dict = *node.input();
  const Container form = aten::traits_of(node).container;
  const bool reads_one = form == Container::Item || form == Container::Get || form == Container::Contains;
  const ir::Constant* asked = reads_one ? node.input(1)->constant() : nullptr;
  return std::ranges::all_of(dict.uses(), [&](const ir::Use& use) {
    if (only_asks(use) || use.node == node.graph().block().return_node()) return true;
    if (!asked || use.index != 0 || !aten::acts_as(*use.node, Container::SetItem)) return false;
    const ir::Constant* set = use.node->input(1)->constant();
    return set && !ir::same_constant(*set, *asked);
  });
}

}  // namespace

Value* read_entries(const Node& node, std::span<Value* const> entries, Inserter& insert) {
  const Type& type = node.output()->type();
  switch (aten::traits_of(node).container) {
    case Container::Item:
      return entry_value(node, entries);
    case Container::Get: {
      Value* value = entry_value(node, entries);
      return value || !find_entry(entries, node.input(1)).is_known ? value : insert.none();
    }
    case Container::Contains: {
      const Lookup place = find_entry(entries, node.input(1));
      return place.is_known ? insert.boolean(place.value.has_value()) : nullptr;
    }
    case Container::Length:
      return insert.integer(static_cast<std::int64_t>(entries.size() / 2));
    case Container::Keys:
      return insert.list(type, keys_of(entries));
    case Container::Values:
      return insert.list(type, values_of(entries));
    case Container::Items:
      return pair_list(insert, type, entries);
    case Container::Copy:
      return insert.dict(type, entries);
    default:
      return nullptr;
  }
}

bool fold_dicts(ir::Graph& graph) {
  const bool is_written = has_writes(graph);
  std::vector<Node*> reads, made_of_pairs;
  for_each_node(graph.block(), [&](Node* node) {
    if (node->output_count() != 1 || node->output()->is_unused()) return;
    if (!is_written && makes_dict_of_pairs(*node)) made_of_pairs.push_back(node);
    if (node->input_count() == 0) return;
    if (aten::acts_as(*node->input()->node(), aten::Container::Dict) && (!is_written || is_settled(*node))) reads.push_back(node);
  });
  bool changed = false;
  for (Node* node : made_of_pairs) changed = fold_pairs(*node) || changed;
  for (Node* node : reads) {
    const auto entries = entries_of(node->input()->node()->inputs());
    if (!entries) continue;
    Inserter insert(node);
    Value* result = read_entries(*node, *entries, insert);
    if (!result) continue;
    node->output()->replace_uses(result);
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
