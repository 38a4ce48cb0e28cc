#include "program/raising.h"

namespace tonnx::program {

bool always_raises(const ir::Block& block) {
  for (const ir::Node* node : block.nodes()) {
    if (node->is("prim::RaiseException")) return true;
    if (node->is("prim::If") && always_raises(*node->block(0)) && always_raises(*node->block(1))) return true;
  }
  return false;
}

void raise_before(ir::Node& node) {
  ir::Node* raise = node.graph().create("prim::RaiseException", {}, 0);
  raise->set_location(node.location());
  raise->insert_before(&node);
}

}  // namespace tonnx::program
