// Replaces a tuple that a branch or loop returns, or that the program returns, by one value for each item.
#include <algorithm>
#include <vector>

#include "program/containers/passes.h"
#include "program/edit.h"

namespace tonnx::program {

using ir::Block;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

bool is_tuple(const Value* value) { return value->type().is(Type::Kind::Tuple); }

bool is_carried(const Node& node, std::size_t i) {
  const std::size_t first = node.is("prim::Loop") ? 1 : 0;  // its condition
  const auto returns_tuple = [&](const Block* block) { return is_tuple(block->outputs()[first + i]); };
  return is_tuple(node.output(i)) && std::ranges::all_of(node.blocks(), returns_tuple);
}

bool split_tuples_in(Block& block) {
  bool changed = false;
  for (Node* node : block.nodes()) {
    for (Block* inner : node->blocks()) changed = split_tuples_in(*inner) || changed;
    if (!node->is("prim::If") && !node->is("prim::Loop")) continue;
    for (std::size_t i = 0; i < node->output_count(); ++i) {
      if (!is_carried(*node, i)) continue;
      const std::vector<Type> types = node->output(i)->type().elements;
      split_carried(*node, i, types);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

bool split_tuples(ir::Graph& graph) {
  bool changed = split_tuples_in(graph.block());
  Block& block = graph.block();
  for (std::size_t i = 0; i < block.outputs().size();) {
    Value* out = block.outputs()[i];
    if (!is_tuple(out)) {
      ++i;
      continue;
    }
    unpack_output(block, i, out->type().elements.size());
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
