#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

namespace tonnx::torch {

// Replaces every device in code ("cuda:0", x.cuda()) by the host, since all tensors of a program are on the host here,
// and could not be combined with tensors on other devices. Internal: includes LibTorch.
void name_the_host(::torch::jit::Block& block);
// Same, in all code of a module that no other thread runs, including called functions.
void name_the_host(const ::torch::jit::Module& module);

}  // namespace tonnx::torch
