#pragma once

#include <ATen/core/stack.h>

#include "ir/graph.h"

namespace tonnx::torch {

// Quantisation written as operators on plain tensors (quantized_decomposed::), which programs of torch.export have and
// the passes make of quantised tensors, and which LibTorch has no kernels of: puts the result of a node on the stack in
// place of its arguments. False for any other operator. Internal: includes LibTorch.
bool run_quantised(const ir::Node& node, ::torch::jit::Stack& stack);

}  // namespace tonnx::torch
