#pragma once

#include <cstdint>

#include "ir/dtype.h"

// The numbers that an archive has for LibTorch's enumerations, which are not LibTorch's own.
namespace tonnx::exported {

// Undefined for a number that stands for no dtype known here.
ir::DType dtype_of(std::int64_t number);

// LibTorch's own numbers, as operators take them; -1 for one not known here.
std::int64_t memory_format_of(std::int64_t number);
std::int64_t layout_of(std::int64_t number);

// The number of dense tensors among layouts.
constexpr std::int64_t kStrided = 7;

}  // namespace tonnx::exported
