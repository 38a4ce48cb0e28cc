#pragma once

#include <string>
#include <utility>
#include <vector>

#include <ATen/core/ivalue.h>

#include "torch/arguments.h"

// Finds the values of a program's state during a run. Internal: includes LibTorch.
namespace tonnx::torch {

using NamedValues = std::vector<std::pair<std::string, c10::IValue>>;

// Adds the tensors and numbers of `value`, which was built from the argument, by the names of the inputs that
// add_inputs() creates.
void add_named(const BoundArgument& argument, const c10::IValue& value, NamedValues& values);

// The attribute, or an item of a container in an attribute, at a path from the object ("block.cache.0"); None if there
// is none.
c10::IValue value_at(const c10::IValue& object, const std::string& path);

}  // namespace tonnx::torch
