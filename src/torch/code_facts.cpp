#include "torch/code_facts.h"

#include <algorithm>

#include "aten/gradient_questions.h"
#include "aten/traits.h"
#include "torch/code_walk.h"
#include "torch/division_guard.h"
#include "torch/interruptible.h"
#include "torch/outside.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

// True if a node converts a tensor to text that is used for more than messages.
bool reads_text(const jit::Node& node) {
  if (node.outputs().size() != 1 || *node.output()->type() != *c10::StringType::get()) return false;
  const auto is_tensor = [](const jit::Value* input) { return input->type()->isSubtypeOf(*c10::TensorType::get()); };
  const auto is_message = [](const jit::Use& use) {
    return use.user->kind() == c10::prim::RaiseException ||
           aten::traits_of(use.user->kind().toQualString()).effect == aten::Effect::Diagnostic;
  };
  const auto& uses = node.output()->uses();
  return std::any_of(node.inputs().begin(), node.inputs().end(), is_tensor) &&
         !std::all_of(uses.begin(), uses.end(), is_message);
}

std::string silent_read(const jit::Node& node) {
  if (node.kind() == c10::Symbol::fromQualString("prim::tolist"))
    return "the program cannot be recorded: tolist() reads elements; mode 'script' keeps the list";
  if (reads_text(node))
    return std::string("the program cannot be recorded: ") + node.kind().toQualString() +
           " converts elements of a tensor to text";
  return {};
}

bool calls_interface(const jit::Node& node) {
  return node.kind() == c10::prim::CallMethod && node.input(0)->type()->kind() == c10::TypeKind::InterfaceType;
}

}  // namespace

CodeFacts code_facts(const jit::Module& module, jit::Function& method) {
  CodeFacts facts;
  // A call through an interface reaches methods of objects in the module.
  bool is_reached = true, calls_interfaces = false;
  CodeWalk walk([&](const jit::Node& node) {
    facts.names_outside = facts.names_outside || !reason_not_to_run(node).empty();
    facts.needs_quotients = facts.needs_quotients || needs_quotients(node);
    facts.lacks_checkpoints = facts.lacks_checkpoints || lacks_checkpoints(node);
    facts.forks = facts.forks || node.kind() == c10::prim::fork;
    facts.asks_for_gradients = facts.asks_for_gradients || aten::asks_for_gradients(node.kind().toQualString());
    if (is_reached && facts.silent_read.empty()) facts.silent_read = silent_read(node);
    calls_interfaces = calls_interfaces || calls_interface(node);
  });
  walk.function(method);
  is_reached = calls_interfaces;
  walk.object(module._ivalue());
  return facts;
}

}  // namespace tonnx::torch
