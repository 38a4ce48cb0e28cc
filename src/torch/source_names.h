#pragma once

#include <map>
#include <string>

#include <torch/csrc/jit/frontend/resolver.h>

// Resolves free names in TorchScript source text. Internal: includes LibTorch.
namespace tonnx::torch {

// torch (operators, dtypes, layouts, torch.ops), math, inf, nan and exception classes as in Python, and functions of
// the text by name.
::torch::jit::ResolverPtr source_names(std::map<std::string, ::torch::jit::Function*> functions = {});

}  // namespace tonnx::torch
