#pragma once

#include <cstdint>

#include "ir/dtype.h"

// The numbers of LibTorch's enumerations in an archive, which differ from LibTorch's own.
namespace tonnx::exported {

// Returns Undefined for an unknown dtype.
ir::DType dtype_of(std::int64_t number);

// Return LibTorch's own numbers, as operators use them; -1 if unknown.
std::int64_t memory_format_of(std::int64_t number);
std::int64_t layout_of(std::int64_t number);

// The number of the dense layout.
constexpr std::int64_t kStrided = 7;

}  // namespace tonnx::exported
