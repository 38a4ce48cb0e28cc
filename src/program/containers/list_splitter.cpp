#include "program/containers/list_splitter.h"

#include <algorithm>
#include <ranges>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

bool is_by_position(Container form) {
  switch (form) {
    case Container::List:
    case Container::ListUnpack:
    case Container::Item:
    case Container::Length:
    case Container::Concat:
    case Container::Part:
    case Container::Copy:
    case Container::Append:
    case Container::Extend:
    case Container::Insert:
    case Container::SetItem:
    case Container::Pop:
    case Container::Delete:
    case Container::Clear:
    case Container::Reverse: return true;
    default: return false;
  }
}

namespace {

// Whether a run decides which of the items it gives.
bool is_picked(const Node& node) {
  return aten::acts_as(node, Container::Item) && !ir::constant_integer(node.input(1));
}

}  // namespace

bool ListSplitter::run(ir::Graph& graph, bool takes_outputs) {
  takes_outputs_ = takes_outputs;
  if (!all_known(graph.block(), 0) || !needed_) return false;
  walk(graph.block());
  for (Node* node : gone_) node->erase();
  return true;
}

bool ListSplitter::has_list(std::span<Value* const> values) const {
  return std::ranges::any_of(values, [&](const Value* value) { return is_list(*value); });
}

// Of the lists that the node has to do with.
const Type& ListSplitter::item_type(const Node& node) const {
  const auto known = [&](const Value* value) { return is_list(*value); };
  const auto among_inputs = std::ranges::find_if(node.inputs(), known);
  const Value* list =
      among_inputs != node.inputs().end() ? *among_inputs : *std::ranges::find_if(node.outputs(), known);
  return list->type().elements[0];
}

// Whether each of the lists of parts can go through the same operator.
bool ListSplitter::is_by_position(const Node& node) const {
  const Container form = aten::traits_of(node).container;
  if (form == Container::List || node.is("prim::Uninitialized"))
    return std::ranges::all_of(node.outputs(), [&](const Value* out) { return is_list(*out); });
  return node.input_count() > 0 && is_list(*node.input(0)) && program::is_by_position(form);
}

bool ListSplitter::all_known(const Block& block, int depth) {
  if (depth == 0 && (has_list(block.inputs()) || (!takes_outputs_ && has_list(block.outputs())))) return false;
  needed_ = needed_ || (depth == 0 && has_list(block.outputs()));
  for (const Node* node : block.nodes()) {
    const bool carries = node->is("prim::If") || node->is("prim::Loop");
    if (has_list(node->inputs()) || has_list(node->outputs())) {
      if (!carries && !is_by_position(*node)) return false;
      needed_ = needed_ || carries || (depth > 0 && writes(*node)) || is_picked(*node);
    }
    for (const Block* inner : node->blocks())
      if (!all_known(*inner, depth + 1)) return false;
  }
  return true;
}

std::vector<Type> ListSplitter::part_types(const Value& list) const {
  std::vector<Type> types;
  for (const Type& type : types_of(list.type().elements[0])) types.push_back(Type::list(type));
  return types;
}

// The node once for each part of the items.
void ListSplitter::rewrite(Node& node) {
  if (!any_whole(node.inputs()) && !any_whole(node.outputs())) return;
  const Type& type = item_type(node);
  std::unordered_map<const Value*, Parts> items;  // among its operands
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    Value* item = node.input(i);
    if (!is_item(node, i) || items.contains(item)) continue;
    Inserter insert(&node);
    items[item] = taken_apart(*item, type, insert);
  }
  std::vector<Node*> copies;
  for (std::size_t p = 0; p < types_of(type).size(); ++p) {
    ValueMap map;
    for (Value* in : node.inputs())
      if (is_list(*in)) map[in] = parts_.at(in)[p];
    Node* copy = copy_node(node, map);
    for (std::size_t i = 0; i < node.input_count(); ++i)  // the place may be the item, as in l[i] = i
      if (is_item(node, i)) copy->set_input(i, items.at(node.input(i))[p]);
    copy->insert_before(&node);
    copies.push_back(copy);
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) receive(node, i, copies);
  if (writes(node)) gone_.push_back(&node);
}

void ListSplitter::receive(Node& node, std::size_t index, const std::vector<Node*>& copies) {
  Value* out = node.output(index);
  const bool is_whole_list = is_list(*out);
  if (!is_whole_list && !is_item(out->type())) return out->replace_uses(copies.front()->output(index));
  if (is_whole_list && writes(node)) return out->replace_uses(node.input());  // the list written to
  const std::vector<Type> types = types_of(is_whole_list ? out->type().elements[0] : out->type());
  Parts parts;
  for (std::size_t p = 0; p < copies.size(); ++p) {
    Value* part = parts.emplace_back(copies[p]->output(index));
    part->set_type(is_whole_list ? Type::list(types[p]) : types[p]);
    settle(*part);
  }
  if (is_whole_list) {
    parts_[out] = std::move(parts);
    return;
  }
  Inserter insert(&node);
  out->replace_uses(put_together(parts, out->type(), insert));
}

}  // namespace tonnx::program
