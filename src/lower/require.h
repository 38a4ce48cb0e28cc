#pragma once

#include "lower/builder.h"

namespace tonnx::lower {

// Returns x, with its facts. A run in which the condition (rank 0) is false fails, because it reshapes to an invalid
// size or gathers index 1 of a tensor of size 1. For checks of LibTorch's operators that ONNX's lack.
Value* require(Builder& b, Value* x, Value* condition);

}  // namespace tonnx::lower
