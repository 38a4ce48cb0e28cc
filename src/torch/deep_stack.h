#pragma once

#include <cstddef>
#include <functional>

#include <ATen/core/function.h>

namespace tonnx::torch {

// True if this thread's stack is large enough to run the function while operators are recorded. `longest`: operators of
// the longest function that it calls.
bool has_stack_for(::torch::jit::Function& function, std::size_t longest);

// Calls `run`, which runs `function` in LibTorch's interpreter. Its compiler recurses once for each operator of a chain
// in a function: if this thread's stack may be too small, `run` is called on another thread with this thread's LibTorch
// state.
void run_deep(::torch::jit::Function& function, std::size_t longest, const std::function<void()>& run);

}  // namespace tonnx::torch
