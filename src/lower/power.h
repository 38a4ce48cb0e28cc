#pragma once

#include "lower/builder.h"

namespace tonnx::lower {

// x to the power of y, which share a dtype and broadcast. Integers are exact and wrap as LibTorch's do; negative
// exponents of them give 0 but for the bases 1 and -1.
Value* power(Builder& b, Value* x, Value* y);

}  // namespace tonnx::lower
