#pragma once

#include "ir/tensor.h"

// LibTorch tensors in the form that callers in other languages have: pointers to an at::Tensor of the same LibTorch.
// May be used on any thread.
namespace tonnx::torch {

// Wraps the tensor of `at_tensor` (an at::Tensor *, borrowed for the call). The result shares the storage and keeps it
// alive; a tensor on another device is copied. Throws Error(Code::Unsupported) if it is quantised per channel, sparse
// or has no data, Error(Code::Argument) if it is null or undefined.
ir::Tensor tensor_from_handle(const void* at_tensor);

// Returns a new at::Tensor with a copy of the elements; the caller frees it with destroy_handle().
void* make_handle(const ir::Tensor& tensor);
// Same, as a new handle of the same tensor as `at_tensor`.
void* copy_handle(const void* at_tensor);
void destroy_handle(void* at_tensor) noexcept;

}  // namespace tonnx::torch
