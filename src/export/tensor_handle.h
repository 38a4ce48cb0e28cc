#pragma once

// Tensors of the caller's LibTorch.
#include "torch/tensor_handle.h"

namespace tonnx::exporting {

inline ir::Tensor borrow_tensor(const void* at_tensor) { return torch::tensor_from_handle(at_tensor); }

}  // namespace tonnx::exporting
