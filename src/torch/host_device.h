#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

namespace tonnx::torch {

// Makes the host of every other device that code names ("cuda:0", x.cuda()): a program's tensors lie on the host here,
// whatever the machine it was made on had, and would not meet what it creates elsewhere. Internal: includes LibTorch.
void name_the_host(::torch::jit::Block& block);
// In all code of a module that nobody else runs, functions that it calls included.
void name_the_host(const ::torch::jit::Module& module);

}  // namespace tonnx::torch
