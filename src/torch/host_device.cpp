#include "torch/host_device.h"

#include <vector>

#include "torch/code_walk.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

bool is_move(const jit::Node& node) { return node.kind() == c10::Symbol::fromQualString("aten::cuda"); }

bool names_another_device(const jit::Node& node) {
  if (is_move(node)) return true;
  return node.kind() == c10::prim::Constant && node.hasAttribute(jit::attr::value) &&
         node.kindOf(jit::attr::value) == jit::AttributeKind::s &&
         *node.output()->type() == *c10::DeviceObjType::get() && !c10::Device(node.s(jit::attr::value)).is_meta();
}

void collect(jit::Block& block, std::vector<jit::Node*>& found) {
  for (jit::Node* node : block.nodes()) {
    if (names_another_device(*node)) found.push_back(node);
    for (jit::Block* inner : node->blocks()) collect(*inner, found);
  }
}

void name_the_host(const std::vector<jit::Node*>& nodes) {
  for (jit::Node* node : nodes) {
    if (is_move(*node)) {
      node->output()->replaceAllUsesWith(node->input(0));
      node->destroy();
    } else {
      node->s_(jit::attr::value, "cpu");
    }
  }
}

}  // namespace

void name_the_host(jit::Block& block) {
  std::vector<jit::Node*> found;
  collect(block, found);
  name_the_host(found);
}

void name_the_host(const jit::Module& module) {
  std::vector<jit::Node*> found;
  CodeWalk walk([&](jit::Node& node) {
    if (names_another_device(node)) found.push_back(&node);
  });
  walk.object(module._ivalue());
  name_the_host(found);
}

}  // namespace tonnx::torch
