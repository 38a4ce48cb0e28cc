#pragma once

#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

// Copies of values that share memory where the originals do. Internal: includes LibTorch.
namespace tonnx::torch {

// One copy of a tensor, of a storage and of an object, however often it is met. For one thread.
class TensorCopies {
 public:
  // With `share` tensors stay as they are, and what holds them is copied.
  explicit TensorCopies(bool share = false) : share_(share) {}

  // On the CPU, but for a meta tensor. Throws Error(Code::Argument) if a tensor to share lies on another device.
  at::Tensor of(const at::Tensor& tensor);
  // The tensors in it must have been met, for their memory to be one.
  c10::IValue of(const c10::IValue& value) { return value.deepcopy(memo_); }

 private:
  at::Tensor fresh(const at::Tensor& tensor);

  const bool share_;
  c10::IValue::HashIdentityIValueMap memo_;
  std::unordered_map<const c10::StorageImpl*, c10::Storage> storages_;
};

}  // namespace tonnx::torch
