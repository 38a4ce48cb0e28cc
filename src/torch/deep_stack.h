#pragma once

#include <functional>

#include <ATen/core/function.h>

namespace tonnx::torch {

// Whether this thread's stack is deep enough to run it while operators are recorded.
bool has_stack_for(::torch::jit::Function& function);

// Calls `run`, which runs `function` in LibTorch's interpreter. That descends once for each operator of a chain: where
// it may be deeper than this thread's stack, `run` has a thread of its own, with this one's LibTorch state.
void run_deep(::torch::jit::Function& function, const std::function<void()>& run);

}  // namespace tonnx::torch
