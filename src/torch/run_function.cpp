#include "torch/run_function.h"

#include "torch/code_walk.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

bool forks(const jit::Module& module, jit::Function& function) {
  bool found = false;
  CodeWalk walk([&](const jit::Node& node) { found = found || node.kind() == c10::prim::fork; });
  walk.function(function);
  walk.object(module._ivalue());
  return found;
}

}  // namespace

c10::IValue run_function(const jit::Module& module, jit::Function& function, std::vector<c10::IValue> stack) {
  if (!forks(module, function)) return function(std::move(stack));
  function.getSchema().checkAndNormalizeInputs(stack);
  const auto result = function.runAsync(stack, [](std::function<void()> forked) { forked(); });
  result->waitAndThrow();
  return result->value();
}

}  // namespace tonnx::torch
