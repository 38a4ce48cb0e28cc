#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>

#include <ATen/core/TensorBody.h>
#include <c10/core/Storage.h>

#include "ir/tensor.h"

namespace tonnx::torch {

// Tracks which memory of an evaluation has known content. CPU tensors do until something unknown is written to them:
// from then on all tensors over that memory count as meta tensors. A CPU storage that is used with meta tensors gets
// one meta shadow, so that views stay views of each other on both sides.
class MetaMemory {
 public:
  // Creates a meta tensor with the dtype, dims, strides and storage identity of `tensor`.
  at::Tensor import_meta(const ir::Tensor& tensor);

  // True for meta tensors and for CPU tensors whose content is unknown by now. False for undefined tensors.
  bool without_data(const at::Tensor& tensor) const;
  // Returns the meta shadow: same dtype, sizes, strides, offset, and the shadow of its storage. Returns meta and
  // undefined tensors unchanged.
  at::Tensor to_meta(const at::Tensor& tensor);
  // Marks the content of the tensor's memory as unknown.
  void invalidate(const at::Tensor& tensor);
  // Equal for two tensors if and only if they share memory; null if the tensor has no memory.
  const void* identity(const at::Tensor& tensor) const;

 private:
  struct Shadow {
    c10::weak_intrusive_ptr<c10::StorageImpl> real;  // keeps the address from being reused, but not the bytes alive
    c10::Storage meta;
    bool forgotten = false;
  };
  struct Imported {
    std::shared_ptr<const ir::Storage> source;
    c10::Storage meta;
  };
  Shadow& shadow_of(const at::Tensor& tensor);

  std::unordered_map<const c10::StorageImpl*, Shadow> shadows_;
  std::unordered_map<const ir::Storage*, Imported> imported_;
  std::size_t prune_at_ = 256;
};

// Creates a tensor of this dtype, sizes, strides and offset over `storage`.
at::Tensor tensor_over(const c10::Storage& storage, c10::DispatchKey key, c10::ScalarType dtype, at::IntArrayRef sizes,
                       at::IntArrayRef strides, std::int64_t offset);

// Meta storage of this many bytes.
c10::Storage meta_storage(std::size_t bytes);

}  // namespace tonnx::torch
