#include "torch/run_function.h"

#include <torch/csrc/jit/runtime/graph_executor.h>

namespace tonnx::torch {

namespace jit = ::torch::jit;

c10::IValue run_function(jit::Function& method, std::vector<c10::IValue> stack, const CodeFacts& code) {
  // LibTorch's optimiser merges equal computations even if only one of them records gradients. It cannot be cancelled,
  // and takes seconds for a program of thousands of operators. The setting belongs to the thread.
  const jit::GraphOptimizerEnabledGuard optimised(code.enters_autocast && jit::getGraphExecutorOptimize());
  if (!code.forks) return method(std::move(stack));
  method.getSchema().checkAndNormalizeInputs(stack);
  const auto result = method.runAsync(stack, [](const std::function<void()>& forked) { forked(); });
  result->waitAndThrow();
  return result->value();
}

}  // namespace tonnx::torch
