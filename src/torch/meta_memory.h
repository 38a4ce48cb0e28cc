#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>

#include <ATen/core/TensorBody.h>
#include <c10/core/Storage.h>

#include "ir/tensor.h"

namespace tonnx::torch {

// Which memory of an evaluation has known content. CPU tensors have it until something unknown is written to them: from
// then on all tensors over that memory count as meta tensors. A CPU storage that meets meta tensors gets one meta
// shadow, so that views stay views of each other on both sides.
class MetaMemory {
 public:
  // A meta tensor with the dtype, dims, strides and storage identity of `tensor`.
  at::Tensor import_meta(const ir::Tensor& tensor);

  // True for meta tensors and for CPU tensors whose content is unknown by now. False for undefined tensors.
  bool without_data(const at::Tensor& tensor) const;
  // The meta shadow: same dtype, sizes, strides, offset, and the shadow of its storage. Meta and undefined tensors come
  // back as they are.
  at::Tensor to_meta(const at::Tensor& tensor);
  // From now on the content of the tensor's memory is unknown.
  void forget(const at::Tensor& tensor);
  // Equal for two tensors exactly if they share memory; null if the tensor has no memory.
  const void* identity(const at::Tensor& tensor) const;

 private:
  struct Shadow {
    c10::weak_intrusive_ptr<c10::StorageImpl> real;  // keeps the address from being used again, not the bytes
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

// A tensor of that dtype, sizes, strides and offset over `storage`.
at::Tensor tensor_over(const c10::Storage& storage, c10::DispatchKey key, c10::ScalarType dtype, at::IntArrayRef sizes,
                       at::IntArrayRef strides, std::int64_t offset);

// Meta memory of that many bytes.
c10::Storage meta_storage(std::size_t bytes);

}  // namespace tonnx::torch
