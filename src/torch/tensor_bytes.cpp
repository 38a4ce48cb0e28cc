#include "torch/tensor_bytes.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/TensorImpl.h>

#include <algorithm>
#include <cstring>

#include "ir/checksum.h"

namespace tonnx::torch {

bool is_plain_tensor(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == c10::kStrided && tensor.device().is_cpu() && tensor.has_storage() &&
         !tensor.is_quantized();
}

ByteRange bytes_of(const at::Tensor& tensor) {
  const std::size_t item = tensor.itemsize();
  const std::size_t begin = static_cast<std::size_t>(tensor.storage_offset()) * item;
  std::size_t last = 0;  // strides are never negative
  for (std::int64_t i = 0; i < tensor.dim(); ++i) {
    if (tensor.size(i) == 0) return {begin, begin};
    last += static_cast<std::size_t>((tensor.size(i) - 1) * tensor.stride(i));
  }
  return {begin, begin + (last + 1) * item};
}

namespace {

const std::byte* data_of(const c10::StorageImpl& storage) { return static_cast<const std::byte*>(storage.data()); }

}  // namespace

Layout Layout::of(const at::Tensor& tensor) { return of(tensor, *tensor.storage().unsafeGetStorageImpl()); }

Layout Layout::of(const at::Tensor& tensor, const c10::StorageImpl& base) {
  const auto item = static_cast<std::ptrdiff_t>(tensor.itemsize());
  const std::byte* own = data_of(*tensor.storage().unsafeGetStorageImpl());
  const std::byte* other = data_of(base);
  return {tensor.storage_offset() * item + (own == other ? 0 : own - other),
          tensor.sizes().vec(),
          tensor.strides().vec(),
          tensor.scalar_type(),
          tensor.is_conj(),
          tensor.is_neg()};
}

std::uint64_t checksum(const c10::StorageImpl& storage, const ByteRange& range) {
  const std::size_t size = std::min(range.end, storage.nbytes()) - std::min(range.begin, storage.nbytes());
  return ir::checksum({size ? data_of(storage) + range.begin : nullptr, size});
}

c10::Storage copy_of(const c10::StorageImpl& storage, const ByteRange& range) {
  c10::Allocator* allocator = c10::GetCPUAllocator();
  const std::size_t end = std::min(range.end, storage.nbytes());
  const std::size_t size = end - std::min(range.begin, end);
  c10::DataPtr data = allocator->allocate(size);
  if (size > 0) std::memcpy(data.get(), data_of(storage) + range.begin, size);
  return c10::Storage(c10::Storage::use_byte_size_t(), size, std::move(data), allocator, /*resizable=*/false);
}

at::Tensor over_copy(const at::Tensor& tensor, const c10::Storage& copy, const ByteRange& range) {
  at::Tensor result = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(copy), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  const auto skipped = static_cast<std::int64_t>(range.begin / tensor.itemsize());
  result.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(),
                                                      tensor.storage_offset() - skipped);
  if (tensor.is_conj()) result._set_conj(true);
  if (tensor.is_neg()) result._set_neg(true);
  return result;
}

at::Tensor without_history(const at::Tensor& tensor) {
  return at::Tensor(
      tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(0), /*allow_change=*/false));
}

}  // namespace tonnx::torch
