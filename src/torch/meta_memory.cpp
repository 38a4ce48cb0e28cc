#include "torch/meta_memory.h"

#include <algorithm>

#include <ATen/EmptyTensor.h>
#include <c10/core/Allocator.h>
#include <c10/core/TensorImpl.h>

namespace tonnx::torch {

c10::Storage meta_storage(std::size_t bytes) {
  c10::Allocator* allocator = c10::GetAllocator(c10::kMeta);
  return c10::Storage(c10::Storage::use_byte_size_t(), static_cast<std::int64_t>(bytes), allocator->allocate(bytes),
                      allocator, true);
}

at::Tensor tensor_over(const c10::Storage& storage, c10::DispatchKey key, c10::ScalarType dtype, at::IntArrayRef sizes,
                       at::IntArrayRef strides, std::int64_t offset) {
  at::Tensor result = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage), c10::DispatchKeySet(key),
                                                               c10::scalarTypeToTypeMeta(dtype));
  result.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
  return result;
}

at::Tensor MetaMemory::import_meta(const ir::Tensor& tensor) {
  const auto dtype = static_cast<c10::ScalarType>(tensor.dtype);
  std::size_t elements = static_cast<std::size_t>(tensor.offset) + 1;
  for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
    elements += static_cast<std::size_t>(std::max<std::int64_t>(tensor.dims[i] - 1, 0) * tensor.strides[i]);
  }
  const std::size_t bytes =
      std::max(elements * c10::elementSize(dtype), tensor.storage ? tensor.storage->size() : std::size_t{0});
  c10::Storage storage;
  if (tensor.storage) {
    Imported& imported = imported_[tensor.storage.get()];
    if (!imported.source) imported = {tensor.storage, meta_storage(bytes)};
    storage = imported.meta;
  } else {
    storage = meta_storage(bytes);
  }
  return tensor_over(storage, c10::DispatchKey::Meta, dtype, tensor.dims, tensor.strides, tensor.offset);
}

bool MetaMemory::without_data(const at::Tensor& tensor) const {
  if (!tensor.defined()) return false;
  if (tensor.is_meta()) return true;
  if (shadows_.empty() || !tensor.has_storage()) return false;
  const auto found = shadows_.find(tensor.storage().unsafeGetStorageImpl());
  return found != shadows_.end() && found->second.forgotten;
}

MetaMemory::Shadow& MetaMemory::shadow_of(const at::Tensor& tensor) {
  const c10::Storage& storage = tensor.storage();
  const auto found = shadows_.find(storage.unsafeGetStorageImpl());
  if (found != shadows_.end()) return found->second;
  if (shadows_.size() >= prune_at_) {
    std::erase_if(shadows_, [](const auto& entry) { return entry.second.real.expired(); });
    prune_at_ = std::max<std::size_t>(256, 2 * shadows_.size());
  }
  return shadows_
      .emplace(storage.unsafeGetStorageImpl(),
               Shadow{storage.getWeakStorageImpl(), meta_storage(storage.nbytes()), false})
      .first->second;
}

at::Tensor MetaMemory::to_meta(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.is_meta() || !tensor.has_storage() || tensor.is_quantized()) return tensor;
  // A number used as a tensor stays marked: it has a lower priority in type promotion.
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return tensor;
  return tensor_over(shadow_of(tensor).meta, c10::DispatchKey::Meta, tensor.scalar_type(), tensor.sizes(),
                     tensor.strides(), tensor.storage_offset());
}

void MetaMemory::invalidate(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.is_meta() || !tensor.has_storage()) return;
  shadow_of(tensor).forgotten = true;
}

const void* MetaMemory::identity(const at::Tensor& tensor) const {
  if (!tensor.defined() || !tensor.has_storage()) return nullptr;
  const c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
  const auto found = shadows_.find(storage);
  return found == shadows_.end() ? storage : found->second.meta.unsafeGetStorageImpl();
}

}  // namespace tonnx::torch
