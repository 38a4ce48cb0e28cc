// Tuples and lists that only carry values from one node to another.
#include <algorithm>
#include <string>
#include <span>
#include <vector>

#include "aten/traits.h"
#include "program/clean.h"
#include "program/edit.h"
#include "program/items.h"
#include "program/place.h"

namespace tonnx::program {

using aten::Container;
using ir::Block;
using ir::Constant;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_tuple(const Value* value) { return value->type().is(Type::Kind::Tuple); }

Node* unpack(Value* tuple, ir::Graph& graph) {
  Node* node = graph.create("prim::TupleUnpack", std::vector<Value*>{tuple}, tuple->type().elements.size());
  for (std::size_t i = 0; i < node->output_count(); ++i) node->output(i)->set_type(tuple->type().elements[i]);
  return node;
}

// The items of a block's output `index` take its place among the block's outputs.
void unpack_output(Block& block, std::size_t index) {
  Node* items = unpack(block.outputs()[index], block.graph());
  block.append(items);
  block.return_node()->remove_input(index);
  for (std::size_t i = 0; i < items->output_count(); ++i)
    block.return_node()->insert_input(index + i, items->output(i));
}

// Output `index` of a node becomes one output an item, in place; the tuple is made again behind the node.
void split_output(Node& node, std::size_t index) {
  Value* old = node.output(index);
  const std::vector<Type> types = old->type().elements;
  const std::size_t count = node.output_count();
  // New outputs go to the end; what stood behind `index` moves along.
  std::vector<Value*> items;
  for (const Type& type : types) {
    items.push_back(node.add_output());
    items.back()->set_type(type);
  }
  for (std::size_t i = index + 1; i < count; ++i) {
    Value* from = node.output(i);
    Value* to = node.add_output();
    to->set_type(from->type());
    to->set_facts(from->facts());
    from->replace_uses(to);
  }
  Node* tuple = node.graph().create("prim::TupleConstruct", items, 1);
  tuple->output()->set_type(old->type());
  tuple->insert_after(&node);
  old->replace_uses(tuple->output());
  for (std::size_t i = count; i-- > index;) node.remove_output(i);
}

void split_param(Block& block, std::size_t index) {
  Node& params = *block.params();
  Value* old = params.output(index);
  const std::vector<Type> types = old->type().elements;
  const std::size_t count = params.output_count();
  std::vector<Value*> items;
  for (const Type& type : types) {
    items.push_back(block.add_input());
    items.back()->set_type(type);
  }
  for (std::size_t i = index + 1; i < count; ++i) {
    Value* from = params.output(i);
    Value* to = block.add_input();
    to->set_type(from->type());
    to->set_facts(from->facts());
    from->replace_uses(to);
  }
  Node* tuple = block.graph().create("prim::TupleConstruct", items, 1);
  tuple->output()->set_type(old->type());
  block.prepend(tuple);
  old->replace_uses(tuple->output());
  for (std::size_t i = count; i-- > index;) params.remove_output(i);
}

bool split(Block& block) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (Block* inner : node->blocks()) changed = split(*inner) || changed;
    if (node->is("prim::If")) {
      for (std::size_t i = 0; i < node->output_count(); ++i) {
        if (!is_tuple(node->output(i)) || !is_tuple(node->block(0)->outputs()[i]) ||
            !is_tuple(node->block(1)->outputs()[i]))
          continue;
        for (Block* inner : node->blocks()) unpack_output(*inner, i);
        split_output(*node, i);
        changed = true;
      }
    } else if (node->is("prim::Loop")) {
      for (std::size_t i = 0; i < node->output_count(); ++i) {
        Block& body = *node->block(0);
        if (!is_tuple(node->output(i)) || !is_tuple(body.outputs()[i + 1])) continue;
        Node* items = unpack(node->input(i + 2), node->graph());
        items->insert_before(node);
        node->remove_input(i + 2);
        for (std::size_t k = 0; k < items->output_count(); ++k) node->insert_input(i + 2 + k, items->output(k));
        unpack_output(body, i + 1);
        split_param(body, i + 1);
        split_output(*node, i);
        changed = true;
      }
    }
  }
  return changed;
}

// Static containers.

class Folder {
 public:
  explicit Folder(ir::Graph& graph) : graph_(graph) {
    for_each_node(graph.block(), [&](const Node* node) { has_writes_ = has_writes_ || writes(*node); });
  }

  bool run() {
    fold(graph_.block());
    return changed_;
  }

 private:
  void fold(Block& block) {
    for (Node* node : block.nodes()) {
      for (Block* inner : node->blocks()) fold(*inner);
      visit(*node);
    }
  }

  void replace(Node& node, std::size_t output, Value* value) {
    if (node.output(output)->is_unused()) return;
    node.output(output)->replace_uses(value);
    changed_ = true;
  }

  // The node that built a container nobody changes; null otherwise.
  const Node* built(const Value* value, Container form) const {
    const Node* node = value->node();
    if (!node || aten::traits_of(*node).container != form) return nullptr;
    if (!has_writes_ || form == Container::Tuple) return node;
    const bool untouched = std::all_of(value->uses().begin(), value->uses().end(), [](const ir::Use& use) {
      return aten::traits_of(*use.node).container == Container::ListUnpack;
    });
    return untouched ? node : nullptr;
  }

  void visit(Node& node) {
    if (node.input_count() == 0 || node.output_count() == 0) return;
    switch (aten::traits_of(node).container) {
      case Container::TupleUnpack:
        return fold_unpack(node, Container::Tuple);
      case Container::ListUnpack:
        return fold_unpack(node, Container::List);
      case Container::Item:
        return fold_item(node);
      case Container::Length:
        return fold_length(node);
      case Container::Concat:
      case Container::Part:
      case Container::Copy:
      case Container::Sorted:
        return fold_list(node);
      default:
        return;
    }
  }

  void fold_unpack(Node& node, Container form) {
    if (node.input()->node()->is("prim::Uninitialized")) return uninitialise(node);
    const Node* from = built(node.input(), form);
    if (!from || from->input_count() != node.output_count()) return;
    for (std::size_t i = 0; i < node.output_count(); ++i) replace(node, i, from->input(i));
  }

  void fold_item(Node& node) {
    const Node* from = built(node.input(), Container::List);
    if (!from) from = built(node.input(), Container::Tuple);
    if (!from) return;
    const auto i = constant_index(node.input(1), from->input_count());
    if (i) replace(node, 0, from->input(*i));
  }

  void fold_length(Node& node) {
    if (has_writes_ || node.output()->is_unused()) return;
    const Node* list = built(node.input(), Container::List);
    if (!list) return;
    Inserter insert(&node);
    replace(node, 0, insert.integer(static_cast<std::int64_t>(list->input_count())));
  }

  void uninitialise(Node& node) {
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i)->is_unused()) continue;
      Node* item = graph_.create("prim::Uninitialized", {}, 1);
      item->output()->set_type(node.output(i)->type());
      item->insert_before(&node);
      replace(node, i, item->output());
    }
  }

  void fold_list(Node& node) {
    if (has_writes_ || node.output()->is_unused()) return;
    const Node* list = built(node.input(), Container::List);
    if (!list) return;
    std::optional<std::span<Value* const>> more;
    if (node.input_count() > 1)
      if (const Node* second = built(node.input(1), Container::List)) more = second->inputs();
    const auto items = items_of_new_list(node, list->inputs(), more);
    if (!items) return;
    Inserter insert(&node);
    replace(node, 0, insert.list(node.output()->type(), *items));
  }

  ir::Graph& graph_;
  bool has_writes_ = false;
  bool changed_ = false;
};

}  // namespace

bool split_tuples(ir::Graph& graph) {
  bool changed = split(graph.block());
  Block& block = graph.block();
  for (std::size_t i = 0; i < block.outputs().size();) {
    Value* out = block.outputs()[i];
    if (!is_tuple(out)) {
      ++i;
      continue;
    }
    unpack_output(block, i);
    changed = true;
  }
  return changed;
}

bool fold_containers(ir::Graph& graph) { return Folder(graph).run(); }

}  // namespace tonnx::program
