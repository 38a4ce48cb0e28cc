#pragma once

#include "ir/tensor.h"

// LibTorch tensors as callers of other languages hold them: pointers to an at::Tensor of the same LibTorch. Any thread.
namespace tonnx::torch {

// The tensor behind `at_tensor` (an at::Tensor *, borrowed for the call) over the same memory, which stays alive with
// the result; a tensor on another device is copied. Throws Error(Code::Unsupported) if it is quantised by channels,
// sparse or has no data, Error(Code::Argument) if it is null or undefined.
ir::Tensor tensor_from_handle(const void* at_tensor);

// A new at::Tensor with a copy of the elements; the caller frees it with destroy_handle().
void* make_handle(const ir::Tensor& tensor);
// The same for a new handle of the very tensor behind `at_tensor`.
void* copy_handle(const void* at_tensor);
void destroy_handle(void* at_tensor) noexcept;

}  // namespace tonnx::torch
