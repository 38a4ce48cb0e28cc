#pragma once

#include "lower/builder.h"

namespace tonnx::lower {

// Returns x, with its facts. A run in which the condition, of rank 0, is false fails: it gathers the second one of x's
// only shape. For what LibTorch's operators check and ONNX's do not.
Value* require(Builder& b, Value* x, Value* condition);

}  // namespace tonnx::lower
