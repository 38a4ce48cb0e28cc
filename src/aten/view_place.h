#pragma once

#include <string_view>

#include "aten/traits.h"

namespace tonnx::aten {

// True if the result of an operator with these traits, when it is a view of the first argument, has the same storage
// offset.
bool begins_with_argument(const Traits& traits);

// True if an operator returns the memory layout of a tensor: its strides, its storage offset, or its contiguity.
bool asks_layout(std::string_view kind);

}  // namespace tonnx::aten
