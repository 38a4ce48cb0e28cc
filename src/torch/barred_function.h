#pragma once

#include <memory>

#include <torch/csrc/jit/api/function_impl.h>

#include "torch/code_facts.h"

namespace tonnx::torch {

// Returns a copy of the method with all calls inlined, in which an operator that must not run (outside.h) raises an
// exception with its name, as does an undefined integer division (division_guard.h), and in which loops of numbers can
// be cancelled (interruptible.h). The method itself is not changed.
// Returns null if no code of the method needs this: the method itself can run. Throws Error(Code::Unsupported) if
// `names_outside` and the called code is known only at run time. `code` has the facts of the method. Internal: includes
// LibTorch.
std::unique_ptr<::torch::jit::Function> barred_function(::torch::jit::Function& method, const CodeFacts& code);

}  // namespace tonnx::torch
