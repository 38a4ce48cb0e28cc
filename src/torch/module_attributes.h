#pragma once

#include <torch/csrc/jit/api/module.h>

#include "ir/raw_program.h"

namespace tonnx::torch {

// Numbers, strings and lists of these among the attributes and constants (Final) of each module's class, by name.
// TorchScript keeps those that an instance has; names that begin with '_' and the training flag are left out. A traced
// module has none.
ir::ModuleAttributes module_attributes(const ::torch::jit::Module& module);

}  // namespace tonnx::torch
