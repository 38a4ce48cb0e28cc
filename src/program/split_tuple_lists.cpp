// A list of tuples that branches or loops change, or that a run picks from, becomes a list an item of the tuples.
//
// Needs programs in which such lists are only built, changed, read by position and handed on; all of them are taken
// apart, or none. What is left of the old lists is dead:
//
//   %l = prim::ListConstruct()               %a = prim::ListConstruct()
//   prim::Loop(%n)                           %b = prim::ListConstruct()
//     block0: aten::append(%l, %t)           prim::Loop(%n)
//   %u = aten::__getitem__(%l, %i)             block0: %x, %y = prim::TupleUnpack(%t)
//                                                      aten::append(%a, %x), aten::append(%b, %y)
//                                            %u = prim::TupleConstruct(aten::__getitem__(%a, %i), ...)
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/carried_parts.h"
#include "program/edit.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_tuple(const Value* value) { return value->type().is(Type::Kind::Tuple); }

bool is_tuple_list(const Value* value) {
  const Type& type = value->type();
  return type.is(Type::Kind::List) && type.elements.at(0).is(Type::Kind::Tuple) && !type.elements[0].elements.empty();
}

const std::vector<Type>& item_types(const Value* list) { return list->type().elements[0].elements; }

// Whether each of the lists of items can go through the same operator.
bool is_by_position(const Node& node) {
  const Container form = aten::traits_of(node).container;
  if (form == Container::List || node.is("prim::Uninitialized"))
    return std::all_of(node.outputs().begin(), node.outputs().end(), is_tuple_list);
  if (node.input_count() == 0 || !is_tuple_list(node.input(0))) return false;
  switch (form) {
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
    case Container::Reverse:
      return true;
    default:
      return false;
  }
}

// Whether a run decides which of the tuples it gives.
bool is_picked(const Node& node) {
  return aten::acts_as(node, Container::Item) && !ir::constant_integer(node.input(1));
}

class Splitter final : public CarriedParts {
 public:
  explicit Splitter(ir::Graph& graph, bool takes_outputs = false) : graph_(graph), takes_outputs_(takes_outputs) {}

  bool run() {
    if (!all_known(graph_.block(), 0) || !needed_) return false;
    walk(graph_.block());
    for (Node* node : gone_) node->erase();
    return true;
  }

  const std::vector<Value*>& parts_of(const Value* list) const { return parts_.at(list); }

 private:
  bool all_known(const Block& block, int depth) {
    const auto has = [](auto values) { return std::any_of(values.begin(), values.end(), is_tuple_list); };
    if (depth == 0 && (has(block.inputs()) || (!takes_outputs_ && has(block.outputs())))) return false;
    needed_ = needed_ || (depth == 0 && has(block.outputs()));
    for (const Node* node : block.nodes()) {
      const bool carries = node->is("prim::If") || node->is("prim::Loop");
      if (has(node->inputs()) || has(node->outputs())) {
        if (!carries && !is_by_position(*node)) return false;
        needed_ = needed_ || carries || (depth > 0 && writes(*node)) || is_picked(*node);
      }
      for (const Block* inner : node->blocks())
        if (!all_known(*inner, depth + 1)) return false;
    }
    return true;
  }

  bool is_whole(const Value& value) const override { return is_tuple_list(&value); }

  std::vector<Type> part_types(const Value& list) const override {
    std::vector<Type> types;
    for (const Type& type : item_types(&list)) types.push_back(Type::list(type));
    return types;
  }

  void rewrite(Node& node) override {
    if (any_whole(node.inputs()) || any_whole(node.outputs())) split(node);
  }

  // The node once for each item of the tuples.
  void split(Node& node) {
    std::unordered_map<const Value*, Node*> unpacked;  // the tuples among its operands
    for (Value* in : node.inputs())
      if (is_tuple(in) && !unpacked.contains(in)) unpacked[in] = unpack(in, node);
    std::vector<Node*> copies;
    for (std::size_t p = 0; p < item_count(node); ++p) {
      ValueMap map;
      for (Value* in : node.inputs()) {
        if (is_tuple_list(in)) map[in] = parts_.at(in)[p];
        if (is_tuple(in)) map[in] = unpacked.at(in)->output(p);
      }
      Node* copy = copy_node(node, map);
      copy->insert_before(&node);
      copies.push_back(copy);
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) receive(node, i, copies);
    if (writes(node)) gone_.push_back(&node);
  }

  void receive(Node& node, std::size_t i, const std::vector<Node*>& copies) {
    Value* out = node.output(i);
    const bool is_list = is_tuple_list(out);
    if (!is_list && !is_tuple(out)) return out->replace_uses(copies.front()->output(i));
    std::vector<Value*> items;
    for (std::size_t p = 0; p < copies.size(); ++p) {
      items.push_back(copies[p]->output(i));
      const Type& type = (is_list ? item_types(out) : out->type().elements)[p];
      items.back()->set_type(is_list ? Type::list(type) : type);
    }
    if (is_list) {
      parts_[out] = std::move(items);
    } else {
      Inserter insert(&node);
      out->replace_uses(insert.tuple(out->type(), items));
    }
  }

  static std::size_t item_count(const Node& node) {
    for (const Value* in : node.inputs())
      if (is_tuple_list(in)) return item_types(in).size();
    return item_types(*std::find_if(node.outputs().begin(), node.outputs().end(), is_tuple_list)).size();
  }

  Node* unpack(Value* tuple, Node& before) {
    Node* node = make_unpack(tuple);
    node->set_location(before.location());
    node->insert_before(&before);
    return node;
  }

  ir::Graph& graph_;
  const bool takes_outputs_;
  bool needed_ = false;  // a branch, a loop or a number of the run has to do with such a list
  std::vector<Node*> gone_;
};

}  // namespace

bool split_tuple_lists(ir::Graph& graph) { return Splitter(graph).run(); }

std::vector<std::vector<Value*>> split_output_lists(ir::Graph& graph) {
  Splitter splitter(graph, true);
  if (!splitter.run()) return {};
  std::vector<std::vector<Value*>> parts;
  for (Value* out : graph.outputs()) parts.push_back(is_tuple_list(out) ? splitter.parts_of(out) : std::vector<Value*>{out});
  return parts;
}

}  // namespace tonnx::program
