#pragma once

#include "lower/builder.h"

namespace tonnx::lower {

// x to the power of y, which have the same dtype and broadcast. Integers are exact and wrap as in LibTorch; a negative
// integer exponent yields 0 except for the bases 1 and -1.
Value* power(Builder& b, Value* x, Value* y);

}  // namespace tonnx::lower
