#pragma once

// Tensors of the caller's LibTorch.
#include "torch/tensor_handle.h"

namespace tonnx::exporting {

using torch::borrow_tensor;

}  // namespace tonnx::exporting
