#pragma once

#include <string>

#include <torch/csrc/jit/api/module.h>

// Facts of a method of a module and all code that it calls. Internal: includes LibTorch.
namespace tonnx::torch {

struct CodeFacts {
  // The module's methods contain an operator that must not run (outside.h), even if a run would not reach it.
  bool names_outside = false;
  // Some of the code may have undefined integer divisions (division_guard.h).
  bool needs_quotients = false;
  // Some of the code may run long without a checkpoint (interruptible.h).
  bool lacks_checkpoints = false;
  // Some of the code runs in a forked task.
  bool forks = false;
  // Some of the code asks whether gradients are enabled, or recorded for a tensor.
  bool asks_for_gradients = false;
  // How the host reads elements without operators, so that no recording sees it, "the program cannot be recorded: ...";
  // else empty.
  std::string silent_read;
};

CodeFacts code_facts(const ::torch::jit::Module& module, ::torch::jit::Function& method);

}  // namespace tonnx::torch
