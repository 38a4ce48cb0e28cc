#pragma once

#include <torch/csrc/jit/ir/ir.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// C++ takes a bool where a number is wanted, as mask.fill_(true) does; no schema does, so that the recorded node has none.
// In operators whose result has the dtype of their first operand the bool becomes an integer. Throws
// Error(Code::Unsupported) for another one.
void replace_bool_numbers(::torch::jit::Graph& graph);

}  // namespace tonnx::torch
