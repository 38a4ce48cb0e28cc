#pragma once

// Operators that programs use beyond LibTorch's own.
#include "torch/op_library.h"

namespace tonnx::exporting {

using torch::load_library;
using torch::register_schema;

}  // namespace tonnx::exporting
