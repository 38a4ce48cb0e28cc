#pragma once

#include <torch/csrc/jit/ir/ir.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// C++ takes a bool where a number is wanted, as mask.fill_(true) does; no schema does, so that the recorded node has
// none. The bool becomes an integer where the result keeps its dtype, a tensor without axes where all operands are
// bools. Throws Error(Code::Unsupported) where neither holds.
void replace_bool_numbers(::torch::jit::Graph& graph);

}  // namespace tonnx::torch
