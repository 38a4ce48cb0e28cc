#include "torch/tensor_handle.h"

#include "ir/device_copy.h"
#include "ir/error.h"
#include "torch/convert.h"
#include "torch/guard.h"

namespace tonnx::torch {

ir::Tensor tensor_from_handle(const void* at_tensor) {
  const auto* tensor = static_cast<const at::Tensor*>(at_tensor);
  if (!tensor || !tensor->defined()) throw ir::Error(ir::Code::Argument, "the tensor is null or undefined");
  return guarded(ir::Code::Argument, "the tensor cannot be read",
                 [&] { return ir::copied_from(tensor->is_cpu() ? "" : tensor->device().str(), to_ir(*tensor)); });
}

void* make_handle(const ir::Tensor& tensor) {
  return guarded(ir::Code::Argument, "the tensor cannot be made",
                 [&] { return new at::Tensor(to_torch_copy(tensor)); });
}

void* copy_handle(const void* at_tensor) { return new at::Tensor(*static_cast<const at::Tensor*>(at_tensor)); }

void destroy_handle(void* at_tensor) noexcept { delete static_cast<at::Tensor*>(at_tensor); }

}  // namespace tonnx::torch
