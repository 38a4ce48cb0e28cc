#pragma once

#include <torch/csrc/jit/api/module.h>

#include <vector>

namespace tonnx::torch {

// What a function of a module gives in LibTorch's interpreter; on the stack are the module and the arguments. What the
// program forks runs where it stands, on this thread: LibTorch's pool gets no work. Throws what LibTorch throws; where the
// program forks, a failing operator's text without its class.
// Internal: includes LibTorch.
c10::IValue run_function(const ::torch::jit::Module& module, ::torch::jit::Function& function, std::vector<c10::IValue> stack);

}  // namespace tonnx::torch
