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
  const bool changed = remove_dead_code_in(model.block());
  return model.remove_unused_weights() || changed;
}

}  // namespace tonnx::optimize
