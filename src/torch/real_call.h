#pragma once

#include "torch/operator_table.h"

namespace tonnx::torch {

// Runs one operator on the CPU over pages of zeros in place of the meta tensors on the stack, and leaves its results
// as meta tensors: sizes, strides and aliasing are those of the real run, objects that came in go out as they were.
// Weights of any size cost no memory, results do. Operators that refuse zeros get ones. The random state stays. Throws
// what the operator throws; true if an operator on the way depends on the data, so that the results are only a probe.
bool call_on_zeros(const Operator& op, c10::Stack& stack);

}  // namespace tonnx::torch
