#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/tensor.h"

namespace tonnx::capi {

// Returns a caller's sizes. Throws Error(Code::Argument) for a null pointer, a negative size, and more bytes of `dtype`
// than can be addressed.
std::vector<std::int64_t> checked_dims(const std::int64_t* dims, std::size_t rank, ir::DType dtype);

// Bytes from element 0 of `tensor` to the end of the last element that its strides reach. Throws Error(Code::Argument)
// for a negative stride, and if they reach further than can be addressed.
std::size_t checked_extent(const ir::Tensor& tensor);

}  // namespace tonnx::capi
