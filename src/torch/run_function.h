#pragma once

#include <vector>

#include <ATen/core/function.h>

namespace tonnx::torch {

// What a method gives in LibTorch's interpreter; on the stack are the module and the arguments. What the program forks,
// if it `forks`, runs where it stands, on this thread: LibTorch's pool gets no work. Throws what LibTorch throws; where
// the program forks, a failing operator's text without its class. Internal: includes LibTorch.
c10::IValue run_function(::torch::jit::Function& method, std::vector<c10::IValue> stack, bool forks);

}  // namespace tonnx::torch
