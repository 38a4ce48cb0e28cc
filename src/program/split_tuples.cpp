// Tuples that branches and loops carry become one value an item.
#include <vector>

#include "program/edit.h"
#include "program/simplify.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_tuple(const Value* value) { return value->type().is(Type::Kind::Tuple); }

// The items of a block's output `index` take its place among the block's outputs.
void unpack_output(Block& block, std::size_t index) {
  Node* items = make_unpack(block.graph(), block.outputs()[index]);
  block.append(items);
  block.return_node()->remove_input(index);
  for (std::size_t i = 0; i < items->output_count(); ++i)
    block.return_node()->insert_input(index + i, items->output(i));
}

// Output `index` of a node or of a block's params becomes one output an item, in place. Gives the node that makes the tuple
// again, which stands nowhere yet.
Node* split_output(Node& node, std::size_t index) {
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
  old->replace_uses(tuple->output());
  for (std::size_t i = count; i-- > index;) node.remove_output(i);
  return tuple;
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
        split_output(*node, i)->insert_after(node);
        changed = true;
      }
    } else if (node->is("prim::Loop")) {
      for (std::size_t i = 0; i < node->output_count(); ++i) {
        Block& body = *node->block(0);
        if (!is_tuple(node->output(i)) || !is_tuple(body.outputs()[i + 1])) continue;
        Node* items = make_unpack(node->graph(), node->input(i + 2));
        items->insert_before(node);
        node->remove_input(i + 2);
        for (std::size_t k = 0; k < items->output_count(); ++k) node->insert_input(i + 2 + k, items->output(k));
        unpack_output(body, i + 1);
        body.prepend(split_output(*body.params(), i + 1));
        split_output(*node, i)->insert_after(node);
        changed = true;
      }
    }
  }
  return changed;
}

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

}  // namespace tonnx::program
