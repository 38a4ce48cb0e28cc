#pragma once

#include <vector>

#include <ATen/core/function.h>

namespace tonnx::torch {

// Runs a method in LibTorch's interpreter and returns its result; the stack contains the module and the arguments. If
// the code forks (`forks`), tasks run immediately on this thread, not in LibTorch's pool. Throws the exceptions of
// LibTorch; if the code forks, the text of a failing operator without its class. Internal: includes LibTorch.
c10::IValue run_function(::torch::jit::Function& method, std::vector<c10::IValue> stack, bool forks);

}  // namespace tonnx::torch
