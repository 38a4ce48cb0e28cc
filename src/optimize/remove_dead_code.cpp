#include <algorithm>

#include "optimize/passes.h"

namespace tonnx::optimize {
namespace {

bool remove_dead_code_in(ir::Block& block) {
  bool changed = false;
  for (ir::Node* node = block.last(); node;) {
    ir::Node* previous = node->previous();
    const auto outputs = node->outputs();
    if (std::all_of(outputs.begin(), outputs.end(), [](const ir::Value* v) { return v->is_unused(); })) {
      node->erase();
      changed = true;
    } else {
      for (ir::Block* inner : node->blocks()) changed = remove_dead_code_in(*inner) || changed;
    }
    node = previous;
  }
  return changed;
}

}  // namespace

bool remove_dead_code(ir::Graph& model) {
  bool changed = remove_dead_code_in(model.block());
  const std::vector<ir::Value*> weights(model.weights().begin(), model.weights().end());
  for (auto it = weights.rbegin(); it != weights.rend(); ++it) {
    if (!(*it)->is_unused()) continue;
    model.remove_weight(*it);
    changed = true;
  }
  return changed;
}

}  // namespace tonnx::optimize
