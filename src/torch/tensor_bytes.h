#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

// Access to the bytes of a tensor, on the host or on a device, without operators that a recording or a callback could
// see. Internal: includes LibTorch.
namespace tonnx::torch {

// True if it has plain elements in memory: not sparse, quantised, opaque, meta or undefined.
bool is_plain_tensor(const at::Tensor& tensor);

// A range of bytes of a storage, [begin, end).
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool overlaps(const ByteRange& other) const { return begin < other.end && other.begin < end; }
  bool contains(const ByteRange& other) const { return begin <= other.begin && other.end <= end; }
};

constexpr ByteRange kWholeStorage{0, std::numeric_limits<std::size_t>::max()};

// The smallest range with all elements of a plain tensor.
ByteRange bytes_of(const at::Tensor& tensor);

// A plain tensor's view of memory.
struct Layout {
  std::ptrdiff_t offset = 0;  // in bytes
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  bool conjugate = false;
  bool negative = false;

  static Layout of(const at::Tensor& tensor);
  // Relative to another storage that overlaps the tensor's own.
  static Layout of(const at::Tensor& tensor, const c10::StorageImpl& base);
  bool operator==(const Layout&) const = default;
};

// Memory for a copy on the host. Page-locked memory is faster to copy to, but LibTorch keeps it until the process ends.
enum class HostMemory { Pageable, PageLocked };

// The bytes of a storage in a range, readable by the host: the memory itself, or a copy from a device. Copies to
// pageable memory if the device has no page-locked memory.
class HostBytes {
 public:
  HostBytes(const c10::StorageImpl& storage, const ByteRange& range, HostMemory memory = HostMemory::Pageable);
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  at::Tensor copy_;
  std::span<const std::byte> bytes_;
};

// Writes to the storage from byte `begin` on.
void write_bytes(c10::StorageImpl& storage, std::size_t begin, std::span<const std::byte> bytes);
void fill_with_zeros(c10::StorageImpl& storage);

// ir::checksum() of the bytes of the storage in the range.
std::uint64_t checksum(const c10::StorageImpl& storage, const ByteRange& range);

// A copy of these bytes in a new storage on the same device.
c10::Storage copy_of(const c10::StorageImpl& storage, const ByteRange& range);
// A copy of all bytes in host memory.
c10::Storage host_copy_of(const c10::StorageImpl& storage);
// A view of `copy`, a copy of `range` of the tensor's storage, with the tensor's layout.
at::Tensor over_copy(const at::Tensor& tensor, const c10::Storage& copy, const ByteRange& range);
// The tensor over the same memory, without autograd history.
at::Tensor without_history(const at::Tensor& tensor);

}  // namespace tonnx::torch
