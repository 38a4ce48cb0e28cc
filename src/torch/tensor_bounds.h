#pragma once

#include <cstdint>

#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// True if the elements of a tensor are inside of a storage of `storage_size` bytes, and can be counted.
bool is_inside(c10::IntArrayRef sizes, c10::IntArrayRef strides, std::int64_t offset, c10::ScalarType dtype,
               std::uint64_t storage_size);

}  // namespace tonnx::torch
