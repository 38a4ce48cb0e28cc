#pragma once

#include <torch/csrc/jit/api/function_impl.h>

#include <memory>

namespace tonnx::torch {

// The method and all that it calls in one function, in which an operator that is not run (outside.h) raises an exception that names
// it. The method stays as it is. Throws Error(Code::Unsupported) where code is called that is known only when it runs.
// Internal: includes LibTorch.
std::unique_ptr<::torch::jit::Function> barred_function(::torch::jit::Function& method);

}  // namespace tonnx::torch
