#pragma once

#include <memory>

#include <torch/csrc/jit/api/function_impl.h>

#include "torch/code_facts.h"

namespace tonnx::torch {

// The method and all that it calls in one function, in which an operator that is not run (outside.h) raises an
// exception that names it, as does one that divides integers without a quotient (division_guard.h). The method stays as
// it is. Throws Error(Code::Unsupported) where `names_outside` and code is called that is known only when it runs. Null
// where no code of the method calls for either: the method itself can run. `code` has the facts of it. Internal:
// includes LibTorch.
std::unique_ptr<::torch::jit::Function> barred_function(::torch::jit::Function& method, const CodeFacts& code);

}  // namespace tonnx::torch
