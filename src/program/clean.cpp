#include "program/clean.h"

#include <algorithm>
#include <vector>

#include "aten/traits.h"
#include "program/edit.h"
#include "program/place.h"

namespace tonnx::program {

using ir::Node;
using ir::Value;

namespace {

constexpr int kRounds = 20;  // each round resolves one more level of nesting

std::vector<Node*> all_nodes(const ir::Graph& graph) {
  std::vector<Node*> nodes;
  for_each_node(graph.block(), [&](Node* node) { nodes.push_back(node); });
  return nodes;
}

}  // namespace

bool clean(ir::Graph& graph, Raising raising) {
  bool control = false;
  drop_effects(graph);
  remove_dead(graph);
  for (int round = 0; round < kRounds; ++round) {
    bool changed = fold_numbers(graph);
    if (fold_control_flow(graph, raising)) control = changed = true;
    if (split_tuples(graph)) changed = true;
    if (fold_containers(graph)) changed = true;
    if (fold_dicts(graph)) changed = true;
    if (remove_dead(graph)) changed = true;
    if (!changed) break;
  }
  return control;
}

bool drop_effects(ir::Graph& graph) {
  bool changed = false;
  for (Node* node : all_nodes(graph)) {
    const aten::Traits& traits = aten::traits_of(*node);
    const bool passes = traits.passes && node->input_count() == 1 && node->output_count() == 1 &&
                        node->input()->type() == node->output()->type();
    if (passes) {
      node->output()->replace_uses(node->input());
    } else if (traits.effect != aten::Effect::Told) {
      continue;
    }
    const bool unused = std::all_of(node->outputs().begin(), node->outputs().end(),
                                    [](const Value* out) { return out->is_unused(); });
    if (!unused) continue;
    node->erase();
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::program
