// Removes messages, run-time checks and profiling nodes, and operators that return their argument.
#include <algorithm>
#include <vector>

#include "aten/traits.h"
#include "program/control/passes.h"

namespace tonnx::program {

using ir::Node;
using ir::Value;

namespace {

std::vector<Node*> all_nodes(const ir::Graph& graph) {
  std::vector<Node*> nodes;
  for_each_node(graph.block(), [&](Node* node) { nodes.push_back(node); });
  return nodes;
}

}  // namespace

bool drop_effects(ir::Graph& graph) {
  bool changed = false;
  for (Node* node : all_nodes(graph)) {
    const aten::Traits& traits = aten::traits_of(*node);
    const bool is_identity = traits.passes && node->input_count() == 1 && node->output_count() == 1 &&
                             node->input()->type() == node->output()->type();
    if (is_identity) {
      node->output()->replace_uses(node->input());
    } else if (traits.effect != aten::Effect::Diagnostic) {
      continue;
    }
    const bool unused =
        std::all_of(node->outputs().begin(), node->outputs().end(), [](const Value* out) { return out->is_unused(); });
    if (!unused) continue;
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
