#include "torch/code_walk.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

void CodeWalk::type(const c10::ClassType& type) {
  if (!seen_.insert(&type).second) return;
  for (jit::Function* method : type.methods()) function(*method);
}

void CodeWalk::function(jit::Function& function) {
  if (!seen_.insert(&function).second) return;
  function.ensure_defined();
  if (auto* graph_function = jit::tryToGraphFunction(function)) block(*graph_function->graph()->block());
}

void CodeWalk::object(const c10::IValue& value) {
  value.visit([this](const c10::IValue& part) {
    if (!part.isObject()) return false;
    const c10::ivalue::Object& found = part.toObjectRef();
    if (!seen_.insert(&found).second) return true;
    type(*found.type());
    return false;
  });
}

void CodeWalk::block(jit::Block& b) {
  for (jit::Node* node : b.nodes()) {
    visit_(*node);
    for (const c10::Symbol name : node->attributeNames())
      if (node->kindOf(name) == jit::AttributeKind::g) block(*node->g(name)->block());
    for (jit::Block* inner : node->blocks()) block(*inner);
    if (node->kind() == c10::prim::CallFunction)
      function(*node->input(0)->type()->expect<c10::FunctionType>()->function());
    if (node->kind() == c10::prim::CreateObject)
      if (const auto made = node->output()->type()->cast<c10::ClassType>()) type(*made);
    if (node->kind() == c10::prim::CallMethod)
      if (const auto receiver = node->input(0)->type()->cast<c10::ClassType>()) type(*receiver);
  }
}

}  // namespace tonnx::torch
