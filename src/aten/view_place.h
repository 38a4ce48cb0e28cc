#pragma once

#include <string_view>

#include "aten/traits.h"

namespace tonnx::aten {

// Whether the result of an operator with these traits, where it shares memory with the first argument, begins where
// that does.
bool begins_with_argument(const Traits& traits);

// Whether an operator tells how a tensor lies in memory: its strides, where it begins, whether its elements lie in
// order.
bool asks_layout(std::string_view kind);

}  // namespace tonnx::aten
