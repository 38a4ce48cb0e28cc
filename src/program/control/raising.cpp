#include "program/control/raising.h"

#include "ir/constant_facts.h"

namespace tonnx::program {

bool always_raises(const ir::Block& block) {
  for (const ir::Node* node : block.nodes()) {
    if (node->is("prim::RaiseException")) return true;
    if (node->is("prim::If") && always_raises(*node->block(0)) && always_raises(*node->block(1))) return true;
  }
  return false;
}

std::string message_raised(const ir::Node& raise) {
  const std::string* text = raise.input_count() > 0 ? ir::constant_text(raise.input(0)) : nullptr;
  return text ? *text : "";
}

void raise_before(ir::Node& node, const std::string& message) {
  ir::Node* raise = node.graph().create("prim::RaiseException", {}, 0);
  if (!message.empty()) {
    ir::Node* text = node.graph().create_constant({message});
    text->insert_before(&node);
    raise->add_input(text->output());
  }
  raise->set_location(node.location());
  raise->insert_before(&node);
}

}  // namespace tonnx::program
