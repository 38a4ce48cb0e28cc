#include "torch/run_function.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

c10::IValue run_function(jit::Function& method, std::vector<c10::IValue> stack, bool forks) {
  if (!forks) return method(std::move(stack));
  method.getSchema().checkAndNormalizeInputs(stack);
  const auto result = method.runAsync(stack, [](const std::function<void()>& forked) { forked(); });
  result->waitAndThrow();
  return result->value();
}

}  // namespace tonnx::torch
