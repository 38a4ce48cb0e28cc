#include "aten/traits.h"
#include "ir/writes.h"
#include "torch/graph_import.h"

namespace tonnx::torch {

namespace {

bool has_effect(const ir::Node& node) {
  return ir::writes(node) || aten::traits_of(node).effect == aten::Effect::Acts;
}

bool is_read(const ir::Node& node) {
  for (const ir::Value* output : node.outputs())
    if (!output->is_unused()) return true;
  return false;
}

// True if a node with an effect stays in the block.
bool sweep(ir::Block& block) {
  bool effects = false;
  for (ir::Node* node = block.last(); node;) {
    ir::Node* const previous = node->previous();
    bool effect = has_effect(*node);
    for (ir::Block* inner : node->blocks()) effect = sweep(*inner) || effect;
    if (!effect && !is_read(*node)) node->erase();
    effects = effects || effect;
    node = previous;
  }
  return effects;
}

}  // namespace

void remove_dead_nodes(ir::Graph& graph) {
  sweep(graph.block());
  const std::vector<ir::Value*> weights(graph.weights().begin(), graph.weights().end());
  for (ir::Value* weight : weights)
    if (weight->is_unused()) graph.remove_weight(weight);
}

}  // namespace tonnx::torch
