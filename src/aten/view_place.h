#pragma once

#include "aten/traits.h"

namespace tonnx::aten {

// Whether the result of an operator with these traits, where it shares memory with the first argument, begins where that does.
bool begins_with_argument(const Traits& traits);

}  // namespace tonnx::aten
