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

// The tuple becomes its items.
Node* split_tuple(Node& node, std::size_t index) {
  const std::vector<Type> types = node.output(index)->type().elements;
  return split_output(node, index, types);
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
        split_tuple(*node, i)->insert_after(node);
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
        body.prepend(split_tuple(*body.params(), i + 1));
        split_tuple(*node, i)->insert_after(node);
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
