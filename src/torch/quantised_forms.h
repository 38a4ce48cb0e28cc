#pragma once

#include <ATen/core/stack.h>

#include "ir/graph.h"

namespace tonnx::torch {

// Runs quantisation operators on plain tensors (quantized_decomposed::), which programs of torch.export contain and
// passes create for quantised tensors, and for which LibTorch has no kernels: replaces the arguments on the stack by
// the result. Returns false for other operators. Internal: includes LibTorch.
bool run_quantised(const ir::Node& node, ::torch::jit::Stack& stack);

}  // namespace tonnx::torch
