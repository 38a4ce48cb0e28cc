#pragma once

#include <string_view>

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

namespace tonnx::torch {

// Replaces an operator's complete arguments by its results.
using HostForm = void (*)(const c10::FunctionSchema& schema, ::torch::jit::Stack& stack);

// For an operator that LibTorch has kernels of for accelerators alone, as a program decomposed for one names it: the
// same by operators of the host. The first result is computed, the others, for gradients, are None. Null for any other
// operator. Internal: includes LibTorch.
HostForm find_host_form(std::string_view kind);

}  // namespace tonnx::torch
