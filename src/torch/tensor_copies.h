#pragma once

#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

// Copies values; copies share memory where the originals do. Internal: includes LibTorch.
namespace tonnx::torch {

// Copies each tensor, storage and object only once. For one thread.
class TensorCopies {
 public:
  // With `share`, tensors are kept, and only their containers are copied.
  explicit TensorCopies(bool share = false) : share_(share) {}

  // The copy is on the CPU, except for a meta tensor. Throws Error(Code::Argument) if a tensor to share is on another
  // device.
  at::Tensor of(const at::Tensor& tensor);
  // The tensors in it must have been copied before, so that their copies share memory.
  c10::IValue of(const c10::IValue& value) { return value.deepcopy(memo_); }

 private:
  at::Tensor fresh(const at::Tensor& tensor);

  const bool share_;
  c10::IValue::HashIdentityIValueMap memo_;
  std::unordered_map<const c10::StorageImpl*, c10::Storage> storages_;
};

}  // namespace tonnx::torch
