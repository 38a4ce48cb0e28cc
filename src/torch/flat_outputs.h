#pragma once

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "ir/tensor.h"

namespace tonnx::torch {

// Returns the tensors of a result in order: tuples, lists and dicts are flattened, numbers become rank-0 tensors
// (int64, float64, bool), a list of ints becomes a rank-1 tensor, None and strings are omitted. Throws
// Error(Code::Unsupported) for objects. Internal.
std::vector<at::Tensor> flat_tensors(const c10::IValue& result);

// Same, as copies, since an output may be a weight or an input; a quantised tensor becomes integers, scale and zero
// point.
std::vector<ir::Tensor> flat_outputs(const c10::IValue& result);

}  // namespace tonnx::torch
