#pragma once

#include <functional>

#include <ATen/core/function.h>

namespace tonnx::torch {

// True if this thread's stack is large enough to run the function while operators are recorded.
bool has_stack_for(::torch::jit::Function& function);

// Calls `run`, which runs `function` in LibTorch's interpreter. The interpreter recurses once for each operator of a
// chain: if this thread's stack may be too small, `run` is called on another thread with this thread's LibTorch state.
void run_deep(::torch::jit::Function& function, const std::function<void()>& run);

}  // namespace tonnx::torch
