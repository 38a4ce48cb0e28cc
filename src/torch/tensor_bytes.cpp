#include "torch/tensor_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/GradMode.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include "ir/checksum.h"

namespace tonnx::torch {

bool is_plain_tensor(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == c10::kStrided && !tensor.is_meta() && tensor.has_storage() &&
         !tensor.is_quantized() && !tensor.is_nested();
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

bool on_host(const c10::StorageImpl& storage) { return storage.device().is_cpu(); }

ByteRange within(const c10::StorageImpl& storage, const ByteRange& range) {
  const std::size_t end = std::min(range.end, storage.nbytes());
  return {std::min(range.begin, end), end};
}

// During its lifetime, operators only compute: no recording, gradients or callbacks.
struct Bare {
  c10::NoGradGuard no_gradients;
  at::DisableRecordFunctionGuard no_callbacks;
  c10::impl::ExcludeDispatchKeyGuard no_wrappers{
      c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset |
      c10::DispatchKeySet({c10::DispatchKey::Tracer, c10::DispatchKey::Fake})};
};

// The range as a tensor of bytes over the same memory.
at::Tensor as_bytes(const c10::StorageImpl& storage, const ByteRange& range) {
  auto* shared = const_cast<c10::StorageImpl*>(&storage);
  const auto key = c10::computeDispatchKey(c10::kByte, c10::kStrided, storage.device());
  at::Tensor result =
      at::detail::make_tensor<c10::TensorImpl>(c10::Storage(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(shared)),
                                               c10::DispatchKeySet(key), c10::scalarTypeToTypeMeta(c10::kByte));
  const std::array<std::int64_t, 1> size{static_cast<std::int64_t>(range.end - range.begin)}, stride{1};
  result.unsafeGetTensorImpl()->set_sizes_and_strides(c10::IntArrayRef(size), c10::IntArrayRef(stride),
                                                      static_cast<std::int64_t>(range.begin));
  return result;
}

// A copy of the range on a device.
at::Tensor copied_bytes(const c10::StorageImpl& storage, const ByteRange& range, const c10::Device& device) {
  const Bare bare;
  const at::Tensor copy =
      at::empty({static_cast<std::int64_t>(range.end - range.begin)}, at::device(device).dtype(c10::kByte));
  if (range.end > range.begin) copy.copy_(as_bytes(storage, range));
  return copy;
}

// Null if the device has none, or if none is left.
at::Tensor page_locked_memory(c10::DeviceType device, std::size_t size) {
  try {
    const std::array<std::int64_t, 1> sizes{static_cast<std::int64_t>(size)};
    return at::detail::empty_generic(sizes, at::globalContext().getPinnedMemoryAllocator(device),
                                     c10::DispatchKeySet(c10::DispatchKey::CPU), c10::kByte, std::nullopt);
  } catch (const c10::Error&) {
    return {};
  }
}

// A copy of the range in page-locked memory, or in pageable memory if there is none.
at::Tensor page_locked_bytes(const c10::StorageImpl& storage, const ByteRange& range) {
  const Bare bare;
  const at::Tensor copy = page_locked_memory(storage.device_type(), range.end - range.begin);
  if (!copy.defined()) return copied_bytes(storage, range, c10::kCPU);
  copy.copy_(as_bytes(storage, range));
  return copy;
}

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

HostBytes::HostBytes(const c10::StorageImpl& storage, const ByteRange& range, HostMemory memory) {
  const auto [begin, end] = within(storage, range);
  if (begin == end) return;
  const std::byte* data = data_of(storage) + begin;
  if (!on_host(storage)) {
    copy_ = memory == HostMemory::PageLocked ? page_locked_bytes(storage, {begin, end})
                                             : copied_bytes(storage, {begin, end}, c10::kCPU);
    data = reinterpret_cast<const std::byte*>(copy_.const_data_ptr());
  }
  bytes_ = {data, end - begin};
}

void write_bytes(c10::StorageImpl& storage, std::size_t begin, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (on_host(storage)) {
    std::memcpy(static_cast<std::byte*>(storage.mutable_data()) + begin, bytes.data(), bytes.size());
    return;
  }
  const Bare bare;
  const at::Tensor source =
      at::empty({static_cast<std::int64_t>(bytes.size())}, at::device(c10::kCPU).dtype(c10::kByte));
  std::memcpy(source.mutable_data_ptr(), bytes.data(), bytes.size());
  as_bytes(storage, {begin, begin + bytes.size()}).copy_(source);
}

void fill_with_zeros(c10::StorageImpl& storage) {
  if (storage.nbytes() == 0) return;
  if (on_host(storage)) {
    std::memset(storage.mutable_data(), 0, storage.nbytes());
    return;
  }
  const Bare bare;
  as_bytes(storage, {0, storage.nbytes()}).zero_();
}

std::uint64_t checksum(const c10::StorageImpl& storage, const ByteRange& range) {
  return ir::checksum(HostBytes(storage, range).bytes());
}

c10::Storage copy_of(const c10::StorageImpl& storage, const ByteRange& range) {
  if (!on_host(storage)) return copied_bytes(storage, within(storage, range), storage.device()).storage();
  c10::Allocator* allocator = c10::GetCPUAllocator();
  const auto [begin, end] = within(storage, range);
  c10::DataPtr data = allocator->allocate(end - begin);
  if (end > begin) std::memcpy(data.get(), data_of(storage) + begin, end - begin);
  return c10::Storage(c10::Storage::use_byte_size_t(), end - begin, std::move(data), allocator, /*resizable=*/false);
}

c10::Storage host_copy_of(const c10::StorageImpl& storage) {
  if (on_host(storage)) return copy_of(storage, kWholeStorage);
  return copied_bytes(storage, {0, storage.nbytes()}, c10::kCPU).storage();
}

at::Tensor over_copy(const at::Tensor& tensor, const c10::Storage& copy, const ByteRange& range) {
  at::Tensor result = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(copy),
      c10::DispatchKeySet(c10::computeDispatchKey(tensor.scalar_type(), c10::kStrided, copy.device())), tensor.dtype());
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
