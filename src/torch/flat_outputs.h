#pragma once

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "ir/tensor.h"

namespace tonnx::torch {

// The tensors of a result in order, tuples, lists and dicts opened, numbers as rank-0 tensors (int64, float64, bool),
// a list of ints as one of rank 1, None and strings left out. Throws Error(Code::Unsupported) for objects. Internal.
std::vector<at::Tensor> flat_tensors(const c10::IValue& result);

// The same as copies, for an output may be a weight or an input; quantised ones as their integers, scale and zero
// point.
std::vector<ir::Tensor> flat_outputs(const c10::IValue& result);

}  // namespace tonnx::torch
