#pragma once

#include <map>
#include <string>

#include <torch/csrc/jit/frontend/resolver.h>

// Resolves free names in TorchScript source text. Internal: includes LibTorch.
namespace tonnx::torch {

// Not a possible identifier of the source text.
constexpr const char* kDivisor = "integer divisor";

// torch (operators, dtypes, layouts, torch.ops), math, inf, nan and exception classes as in Python, and functions of
// the text by name.
// The name kDivisor is a function that returns its argument as unfolded() does.
::torch::jit::ResolverPtr source_names(std::map<std::string, ::torch::jit::Function*> functions = {});

}  // namespace tonnx::torch
