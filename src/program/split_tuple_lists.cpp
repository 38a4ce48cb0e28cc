// A list of tuples that branches or loops change, or that a run picks from, becomes a list an item of the tuples; one of values
// that may be None, a list of whether each is there, and one of what they are.
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
#include <ranges>
#include <unordered_map>
#include <vector>

#include "aten/containers.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/writes.h"
#include "program/carried_parts.h"
#include "program/edit.h"
#include "program/items.h"
#include "program/simplify.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool takes_position(Container form) {
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

// Whether it is built as an operator's argument, as the indices of a tensor are.
bool is_argument(const Value& list) {
  return list.node()->is("prim::ListConstruct") && std::ranges::all_of(list.uses(), [](const ir::Use& use) {
    return !use.node->edge_of() && use.node->blocks().empty() && aten::traits_of(*use.node).container == Container::None;
  });
}

// Whether something can stand for such a content where there is none.
bool can_be_content(const Type& type) {
  if (type.is(Type::Kind::Tuple)) return !type.elements.empty() && std::ranges::all_of(type.elements, can_be_content);
  return type.is(Type::Kind::Tensor) || type.is_scalar();
}

class Splitter final : public CarriedParts {
 public:
  // `held`: tuples, or optionals.
  Splitter(ir::Graph& graph, Type::Kind held, bool takes_outputs = false)
      : graph_(graph), held_(held), takes_outputs_(takes_outputs) {}

  bool run() {
    if (!all_known(graph_.block(), 0) || !needed_) return false;
    walk(graph_.block());
    for (Node* node : gone_) node->erase();
    return true;
  }

  bool is_list(const Value* value) const {
    const Type& type = value->type();
    if (!type.is(Type::Kind::List) || !type.elements.at(0).is(held_) || type.elements[0].elements.empty()) return false;
    if (held_ == Type::Kind::Tuple) return true;
    return can_be_content(type.elements[0].elements[0]) && !is_argument(*value);
  }

  const std::vector<Value*>& parts_of(const Value* list) const { return parts_.at(list); }

 private:
  std::vector<Type> types_of(const Type& item) const {
    if (held_ == Type::Kind::Tuple) return item.elements;
    return {Type::of(Type::Kind::Bool), item.elements[0]};
  }
  std::vector<Type> item_types(const Value* list) const { return types_of(list->type().elements[0]); }

  // Whether each of the lists of items can go through the same operator.
  bool is_by_position(const Node& node) const {
    const Container form = aten::traits_of(node).container;
    if (form == Container::List || node.is("prim::Uninitialized"))
      return std::ranges::all_of(node.outputs(), [&](const Value* out) { return is_list(out); });
    return node.input_count() > 0 && is_list(node.input(0)) && takes_position(form);
  }

  // Whether the operand is an item of such a list.
  bool is_item(const Node& node, std::size_t i) const {
    return held_ == Type::Kind::Tuple ? node.input(i)->type().is(held_) : is_put_in_list(node, i);
  }

  bool all_known(const Block& block, int depth) {
    const auto has = [&](auto values) { return std::ranges::any_of(values, [&](const Value* value) { return is_list(value); }); };
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

  bool is_whole(const Value& value) const override { return is_list(&value); }

  std::vector<Type> part_types(const Value& list) const override {
    std::vector<Type> types;
    for (const Type& type : item_types(&list)) types.push_back(Type::list(type));
    return types;
  }

  void rewrite(Node& node) override {
    if (any_whole(node.inputs()) || any_whole(node.outputs())) split(node);
  }

  // The node once for each part of the items.
  void split(Node& node) {
    std::unordered_map<const Value*, Parts> items;  // among its operands
    for (std::size_t i = 0; i < node.input_count(); ++i)
      if (is_item(node, i) && !items.contains(node.input(i))) items[node.input(i)] = taken_apart(*node.input(i), node);
    std::vector<Node*> copies;
    for (std::size_t p = 0; p < part_count(node); ++p) {
      ValueMap map;
      for (Value* in : node.inputs())
        if (is_list(in)) map[in] = parts_.at(in)[p];
      Node* copy = copy_node(node, map);
      for (std::size_t i = 0; i < node.input_count(); ++i)  // the place may be the item, as in l[i] = i
        if (is_item(node, i)) copy->set_input(i, items.at(node.input(i))[p]);
      copy->insert_before(&node);
      copies.push_back(copy);
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) receive(node, i, copies);
    if (writes(node)) gone_.push_back(&node);
  }

  void receive(Node& node, std::size_t i, const std::vector<Node*>& copies) {
    Value* out = node.output(i);
    const bool is_whole_list = is_list(out);
    if (!is_whole_list && !out->type().is(held_)) return out->replace_uses(copies.front()->output(i));
    if (is_whole_list && writes(node)) return out->replace_uses(node.input());  // the list written to
    const std::vector<Type> types = is_whole_list ? item_types(out) : types_of(out->type());
    Parts parts;
    for (std::size_t p = 0; p < copies.size(); ++p) {
      parts.push_back(copies[p]->output(i));
      parts.back()->set_type(is_whole_list ? Type::list(types[p]) : types[p]);
      if (held_ == Type::Kind::Optional) parts.back()->set_facts({});
    }
    if (is_whole_list) {
      parts_[out] = std::move(parts);
    } else {
      out->replace_uses(put_together(parts, out->type(), node));
    }
  }

  std::size_t part_count(const Node& node) const {
    const auto known = [&](const Value* value) { return is_list(value); };
    for (const Value* in : node.inputs())
      if (known(in)) return item_types(in).size();
    return item_types(*std::ranges::find_if(node.outputs(), known)).size();
  }

  Parts taken_apart(Value& item, Node& before) {
    if (held_ == Type::Kind::Tuple) {
      Node* unpack = make_unpack(&item);
      unpack->set_location(before.location());
      unpack->insert_before(&before);
      return {unpack->outputs().begin(), unpack->outputs().end()};
    }
    Inserter insert(&before);
    const Type& type = optional_in(before).elements[0];
    if (is_none(&item)) return {insert.boolean(false), nothing(insert, type)};
    if (!item.type().is(held_)) return {insert.boolean(true), &item};
    Value* is_there = insert.call("aten::__isnot__", {&item, insert.none()});
    Value* content = insert.call("prim::unchecked_cast", {&item});
    content->set_type(type);
    return {is_there, content};
  }

  // What stands for the content of None; no run reads it.
  static Value* nothing(Inserter& insert, const Type& type) {
    switch (type.kind) {
      case Type::Kind::Int: return insert.integer(0);
      case Type::Kind::Float: return insert.constant({0.0});
      case Type::Kind::Bool: return insert.boolean(false);
      case Type::Kind::Tuple: {
        Parts parts;
        for (const Type& element : type.elements) parts.push_back(nothing(insert, element));
        return insert.tuple(type, parts);
      }
      default: return insert.never(type);
    }
  }

  const Type& optional_in(const Node& node) const {
    for (const Value* in : node.inputs())
      if (is_list(in)) return in->type().elements[0];
    return node.output()->type().elements[0];
  }

  Value* put_together(const Parts& parts, const Type& type, Node& before) {
    Inserter insert(&before);
    if (held_ == Type::Kind::Tuple) return insert.tuple(type, parts);
    Node* branch = graph_.create("prim::If", std::vector<Value*>{parts[0]}, 1);
    branch->set_location(before.location());
    branch->output()->set_type(type);
    branch->add_block()->add_output(parts[1]);
    Block* without = branch->add_block();
    without->add_output(Inserter(without, before.location()).none());
    insert.insert(branch);
    return branch->output();
  }

  ir::Graph& graph_;
  const Type::Kind held_;
  const bool takes_outputs_;
  bool needed_ = false;  // a branch, a loop or a number of the run has to do with such a list
  std::vector<Node*> gone_;
};

}  // namespace

bool split_tuple_lists(ir::Graph& graph) { return Splitter(graph, Type::Kind::Tuple).run(); }

bool split_optional_lists(ir::Graph& graph) { return Splitter(graph, Type::Kind::Optional).run(); }

std::vector<std::vector<Value*>> split_output_lists(ir::Graph& graph) {
  Splitter splitter(graph, Type::Kind::Tuple, true);
  if (!splitter.run()) return {};
  std::vector<std::vector<Value*>> parts;
  for (Value* out : graph.outputs()) parts.push_back(splitter.is_list(out) ? splitter.parts_of(out) : std::vector<Value*>{out});
  return parts;
}

}  // namespace tonnx::program
