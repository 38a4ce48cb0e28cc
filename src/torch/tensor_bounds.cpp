#include "torch/tensor_bounds.h"

#include <algorithm>
#include <vector>

#include <c10/util/strides.h>

namespace tonnx::torch {

namespace {

std::int64_t elements_per_byte(c10::ScalarType dtype) {
  return dtype == c10::ScalarType::QUInt4x2 ? 2 : dtype == c10::ScalarType::QUInt2x4 ? 4 : 1;
}

}  // namespace

bool is_inside(c10::IntArrayRef sizes, c10::IntArrayRef strides, std::int64_t offset, c10::ScalarType dtype,
               std::uint64_t storage_size) {
  if (sizes.size() != strides.size() || offset < 0) return false;
  const std::int64_t in_byte = elements_per_byte(dtype);
  if (in_byte > 1 && !sizes.empty()) {
    // Each row begins with a new byte, and LibTorch ignores the strides.
    std::vector<std::int64_t> bytes = sizes.vec();
    bytes.back() = bytes.back() / in_byte + (bytes.back() % in_byte != 0);
    return is_inside(bytes, c10::contiguous_strides(bytes), offset, c10::ScalarType::Byte, storage_size);
  }
  std::int64_t end = offset;  // of the last element, then of the memory
  std::int64_t count = 1;
  bool is_empty = false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    std::int64_t length = 0;
    is_empty = is_empty || sizes[d] == 0;
    const std::int64_t size = std::max<std::int64_t>(sizes[d], 1);
    const bool is_valid = sizes[d] >= 0 && strides[d] >= 0 && !__builtin_mul_overflow(count, size, &count) &&
                          !__builtin_mul_overflow(size - 1, strides[d], &length) &&
                          !__builtin_add_overflow(end, length, &end);
    if (!is_valid) return false;
  }
  if (is_empty) return true;
  return !__builtin_add_overflow(end, 1, &end) &&
         !__builtin_mul_overflow(end, static_cast<std::int64_t>(c10::elementSize(dtype)), &end) &&
         static_cast<std::uint64_t>(end) <= storage_size;
}

}  // namespace tonnx::torch
