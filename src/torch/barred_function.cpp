#include "torch/barred_function.h"

#include <string>

#include <torch/csrc/jit/passes/inliner.h>

#include "ir/error.h"
#include "torch/division_guard.h"
#include "torch/interruptible.h"
#include "torch/outside.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

namespace {

void bar(jit::Graph& graph, bool names_outside);

void raise_instead(jit::Node& node, const std::string& reason) {
  jit::Graph& graph = *node.owningGraph();
  const jit::WithInsertPoint here(&node);
  jit::Value* text = graph.insertConstant(std::string(node.kind().toQualString()) + " is not run: it " + reason);
  jit::Value* none = graph.insertConstant(c10::IValue());
  graph.insertNode(graph.create(c10::prim::RaiseException, {text, none}, 0));
  for (jit::Value* output : node.outputs()) {
    jit::Value* never = graph.insertNode(graph.createUninitialized(output->type()))->output();
    output->replaceAllUsesWith(never);
  }
}

void bar(jit::Block& block, bool names_outside) {
  for (auto it = block.nodes().begin(); it != block.nodes().end();) {
    jit::Node* node = *it++;
    if (const std::string reason = reason_not_to_run(*node); !reason.empty()) {
      raise_instead(*node, reason);
      node->destroy();
      continue;
    }
    if (needs_quotients(*node)) guard_division(*node);
    if (lacks_checkpoints(*node)) add_checkpoint(*node);
    if (names_outside && (node->kind() == c10::prim::CallMethod || node->kind() == c10::prim::CallFunction))
      throw Error(Code::Unsupported,
                  "the program cannot be run: it contains operators that must not run, and calls code through an "
                  "interface that may reach them");
    for (const c10::Symbol name : node->attributeNames()) {
      if (node->kindOf(name) != jit::AttributeKind::g) continue;
      node->g_(name, node->g(name)->copy());
      bar(*node->g(name), names_outside);
    }
    for (jit::Block* inner : node->blocks()) bar(*inner, names_outside);
  }
}

void bar(jit::Graph& graph, bool names_outside) {
  jit::Inline(graph);
  bar(*graph.block(), names_outside);
}

}  // namespace

std::unique_ptr<jit::Function> barred_function(jit::Function& method, const CodeFacts& code) {
  if (!code.names_outside && !code.needs_quotients && !code.lacks_checkpoints) return nullptr;
  method.ensure_defined();
  const std::shared_ptr<jit::Graph> graph = jit::toGraphFunction(method).graph()->copy();
  bar(*graph, code.names_outside);
  auto made = std::make_unique<jit::GraphFunction>(method.qualname(), graph, nullptr);
  made->setSchema(method.getSchema());
  return made;
}

}  // namespace tonnx::torch
