#pragma once

#include <torch/csrc/jit/ir/ir.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// C++ accepts a bool as a number (mask.fill_(true)), but schemas do not, so that the recorded node has no schema.
// Replaces the bool by an integer if the result keeps its dtype, or by a rank-0 tensor if all operands are bools.
// Throws Error(Code::Unsupported) otherwise.
void replace_bool_numbers(::torch::jit::Graph& graph);

}  // namespace tonnx::torch
