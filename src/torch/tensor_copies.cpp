#include "torch/tensor_copies.h"

#include <ATen/ATen.h>

#include "ir/error.h"

namespace tonnx::torch {
namespace {

bool is_plain(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.layout() == at::kStrided && !tensor.is_quantized() && !tensor.is_conj() && !tensor.is_neg();
}

// All bytes of a tensor's storage.
at::Tensor whole(const at::Tensor& tensor) {
  const auto bytes = static_cast<std::int64_t>(tensor.storage().nbytes());
  return at::empty({0}, at::kByte).set_(tensor.storage(), 0, {bytes}, {1});
}

}  // namespace

at::Tensor TensorCopies::of(const at::Tensor& tensor) {
  if (const auto known = memo_.find(tensor); known != memo_.end()) return known->second.toTensor();
  if (share_ && !tensor.is_cpu() && !tensor.is_meta())
    throw ir::Error(ir::Code::Argument, "a tensor lies on another device, where it cannot be shared; have the tensors copied");
  const at::Tensor copy = share_ ? tensor : fresh(tensor).requires_grad_(tensor.requires_grad());
  memo_[tensor] = copy;
  return copy;
}

at::Tensor TensorCopies::fresh(const at::Tensor& tensor) {
  if (tensor.is_meta()) return tensor.detach();
  if (!is_plain(tensor)) return tensor.detach().to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
  c10::Storage& storage = storages_[tensor.storage().unsafeGetStorageImpl()];
  if (!storage) storage = whole(tensor).clone().storage();
  return at::empty({0}, tensor.options()).set_(storage, tensor.storage_offset(), tensor.sizes(), tensor.strides());
}

}  // namespace tonnx::torch
