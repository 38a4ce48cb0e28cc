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

bool is_by_position(Container operation) {
  switch (operation) {
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

bool has_dynamic_index(const Node& node) {
  return aten::acts_as(node, Container::Item) && !ir::constant_integer(node.input(1));
}

}  // namespace

bool ListSplitter::run(ir::Graph& graph, bool takes_outputs) {
  takes_outputs_ = takes_outputs;
  if (!all_known(graph.block(), 0) || !needed_) return false;
  walk(graph.block());
  for (Node* node : replaced_) node->erase();
  return true;
}

bool ListSplitter::has_list(std::span<Value* const> values) const {
  return std::ranges::any_of(values, [&](const Value* value) { return is_list(*value); });
}

// The item type of the lists that the node reads or returns.
const Type& ListSplitter::item_type(const Node& node) const {
  const auto is_such = [&](const Value* value) { return is_list(*value); };
  const auto among_inputs = std::ranges::find_if(node.inputs(), is_such);
  const Value* list =
      among_inputs != node.inputs().end() ? *among_inputs : *std::ranges::find_if(node.outputs(), is_such);
  return list->type().elements[0];
}

// True if the operator can be applied to each list of parts separately.
bool ListSplitter::is_by_position(const Node& node) const {
  const Container operation = aten::traits_of(node).container;
  if (operation == Container::List || node.is("prim::Uninitialized"))
    return std::ranges::all_of(node.outputs(), [&](const Value* out) { return is_list(*out); });
  return node.input_count() > 0 && is_list(*node.input(0)) && program::is_by_position(operation);
}

bool ListSplitter::all_known(const Block& block, int depth) {
  if (depth == 0 && (has_list(block.inputs()) || (!takes_outputs_ && has_list(block.outputs())))) return false;
  needed_ = needed_ || (depth == 0 && has_list(block.outputs()));
  for (const Node* node : block.nodes()) {
    const bool carries = node->is("prim::If") || node->is("prim::Loop");
    if (has_list(node->inputs()) || has_list(node->outputs())) {
      if (!carries && !is_by_position(*node)) return false;
      needed_ = needed_ || carries || (depth > 0 && writes(*node)) || has_dynamic_index(*node);
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

// Copies the node once for each part of the items.
void ListSplitter::rewrite(Node& node) {
  if (!any_whole(node.inputs()) && !any_whole(node.outputs())) return;
  const Type& type = item_type(node);
  std::unordered_map<const Value*, Parts> items;  // parts of the operands
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    Value* item = node.input(i);
    if (!is_item(node, i) || items.contains(item)) continue;
    Inserter insert(&node);
    items[item] = split_item(*item, type, insert);
  }
  std::vector<Node*> copies;
  for (std::size_t p = 0; p < types_of(type).size(); ++p) {
    ValueMap map;
    for (Value* in : node.inputs())
      if (is_list(*in)) map[in] = parts_.at(in)[p];
    Node* copy = copy_node(node, map);
    for (std::size_t i = 0; i < node.input_count(); ++i)  // the index may be the item, as in l[i] = i
      if (is_item(node, i)) copy->set_input(i, items.at(node.input(i))[p]);
    copy->insert_before(&node);
    copies.push_back(copy);
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) replace_output(node, i, copies);
  if (writes(node)) replaced_.push_back(&node);
}

void ListSplitter::replace_output(Node& node, std::size_t index, const std::vector<Node*>& copies) {
  Value* out = node.output(index);
  const bool is_whole_list = is_list(*out);
  if (!is_whole_list && !is_item(out->type())) return out->replace_uses(copies.front()->output(index));
  if (is_whole_list && writes(node)) return out->replace_uses(node.input());  // the changed list
  const std::vector<Type> types = types_of(is_whole_list ? out->type().elements[0] : out->type());
  Parts parts;
  for (std::size_t p = 0; p < copies.size(); ++p) {
    Value* part = parts.emplace_back(copies[p]->output(index));
    part->set_type(is_whole_list ? Type::list(types[p]) : types[p]);
    adjust_facts(*part);
  }
  if (is_whole_list) {
    parts_[out] = std::move(parts);
    return;
  }
  Inserter insert(&node);
  out->replace_uses(join_item(parts, out->type(), insert));
}

}  // namespace tonnx::program
