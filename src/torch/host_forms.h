#pragma once

#include <string_view>

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

namespace tonnx::torch {

// Replaces an operator's complete arguments on the stack by its results.
using HostForm = void (*)(const c10::FunctionSchema& schema, ::torch::jit::Stack& stack);

// For an operator that has only accelerator kernels in LibTorch, as in programs decomposed for an accelerator: an
// implementation with host operators. The first result is computed; the others, which are for gradients, are None. Null
// for any other operator. Internal: includes LibTorch.
HostForm find_host_form(std::string_view kind);

}  // namespace tonnx::torch
