#pragma once

// Tensors of the caller's LibTorch.
#include "torch/tensor_handle.h"

namespace tonnx::exporting {

inline ir::Tensor borrow_tensor(const void* at_tensor) { return torch::tensor_from_handle(at_tensor); }
inline void* new_torch_tensor(const ir::Tensor& tensor) { return torch::make_handle(tensor); }
inline void delete_torch_tensor(void* at_tensor) noexcept { torch::destroy_handle(at_tensor); }

}  // namespace tonnx::exporting
