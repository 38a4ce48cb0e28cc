#include "torch/tensor_copies.h"

#include <ATen/ATen.h>

#include "ir/error.h"
#include "torch/tensor_bytes.h"

namespace tonnx::torch {
namespace {

bool shares_plain_memory(const at::Tensor& tensor) {
  return is_plain_tensor(tensor) && !tensor.is_conj() && !tensor.is_neg();
}

}  // namespace

at::Tensor TensorCopies::of(const at::Tensor& tensor) {
  if (const auto known = memo_.find(tensor); known != memo_.end()) return known->second.toTensor();
  if (share_ && !tensor.is_cpu() && !tensor.is_meta())
    throw ir::Error(ir::Code::Argument, "a tensor on another device cannot be shared; copy the tensors instead");
  const at::Tensor copy = share_ ? tensor : fresh(tensor).requires_grad_(tensor.requires_grad());
  memo_[tensor] = copy;
  return copy;
}

at::Tensor TensorCopies::fresh(const at::Tensor& tensor) {
  if (tensor.is_meta()) return tensor.detach();
  if (!shares_plain_memory(tensor))
    return tensor.detach().to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
  c10::Storage& storage = storages_[tensor.storage().unsafeGetStorageImpl()];
  if (!storage) storage = host_copy_of(*tensor.storage().unsafeGetStorageImpl());
  return at::empty({0}, tensor.options().device(at::kCPU))
      .set_(storage, tensor.storage_offset(), tensor.sizes(), tensor.strides());
}

}  // namespace tonnx::torch
