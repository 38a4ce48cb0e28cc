#pragma once

#include "torch/operator_table.h"

namespace tonnx::torch {

// Runs one operator on the CPU over zero pages instead of the meta tensors on the stack, and leaves its results as meta
// tensors with the sizes, strides and aliasing of the real run; argument objects that are returned stay the same
// objects. Weights of any size cost no memory, results do. Operators that refuse zeros get ones. The random state is
// not changed. Throws the exceptions of the operator. Returns true if an operator in the call depends on data, so that
// the results are only a probe.
bool call_on_zeros(const Operator& op, c10::Stack& stack);

}  // namespace tonnx::torch
