#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

// The bytes behind a tensor, on the host or on a device, past every operator that a recording or a callback could see.
// Internal: includes LibTorch.
namespace tonnx::torch {

// Whether it has plain elements in some memory: none of sparse, quantised, opaque, meta, undefined.
bool is_plain_tensor(const at::Tensor& tensor);

// Bytes of a storage, [begin, end).
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool overlaps(const ByteRange& other) const { return begin < other.end && other.begin < end; }
  bool contains(const ByteRange& other) const { return begin <= other.begin && other.end <= end; }
};

constexpr ByteRange kWholeStorage{0, std::numeric_limits<std::size_t>::max()};

// The smallest range with all elements of a plain tensor.
ByteRange bytes_of(const at::Tensor& tensor);

// How a plain tensor looks at memory.
struct Layout {
  std::ptrdiff_t offset = 0;  // in bytes
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  bool conjugate = false;
  bool negative = false;

  static Layout of(const at::Tensor& tensor);
  // At the memory of another storage, which overlaps its own.
  static Layout of(const at::Tensor& tensor, const c10::StorageImpl& base);
  bool operator==(const Layout&) const = default;
};

// What a storage has of a range, for the host to read: the memory itself, or a copy of a device's.
class HostBytes {
 public:
  HostBytes(const c10::StorageImpl& storage, const ByteRange& range);
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  at::Tensor copy_;
  std::span<const std::byte> bytes_;
};

// Writes to the storage, from the byte `begin` on.
void write_bytes(c10::StorageImpl& storage, std::size_t begin, std::span<const std::byte> bytes);
void fill_with_zeros(c10::StorageImpl& storage);

// ir::checksum() of what the storage has of the range.
std::uint64_t checksum(const c10::StorageImpl& storage, const ByteRange& range);

// A storage of its own with these bytes, on the same device.
c10::Storage copy_of(const c10::StorageImpl& storage, const ByteRange& range);
// One in the memory of the host with all bytes.
c10::Storage host_copy_of(const c10::StorageImpl& storage);
// A tensor that looks at `copy`, made of `range` of the tensor's storage, as the tensor looks at its storage.
at::Tensor over_copy(const at::Tensor& tensor, const c10::Storage& copy, const ByteRange& range);
// The tensor over the same memory, without its history of gradients.
at::Tensor without_history(const at::Tensor& tensor);

}  // namespace tonnx::torch
