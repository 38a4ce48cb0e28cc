#pragma once

#include <string>

#include <torch/csrc/jit/api/module.h>

// What one method of a module comes to, with all that it calls. Internal: includes LibTorch.
namespace tonnx::torch {

struct CodeFacts {
  // The module's methods name an operator that is not run (outside.h), whether or not a run would come to it.
  bool names_outside = false;
  // Some of that code may divide integers that have no quotient (division_guard.h).
  bool needs_quotients = false;
  // Some of that code runs in a task of its own.
  bool forks = false;
  // Some of it asks whether gradients are switched on, or followed for a tensor.
  bool asks_for_gradients = false;
  // How the host reads elements past the operators, where no recording sees it, "the program cannot be recorded: ...";
  // else empty.
  std::string silent_read;
};

CodeFacts code_facts(const ::torch::jit::Module& module, ::torch::jit::Function& method);

}  // namespace tonnx::torch
