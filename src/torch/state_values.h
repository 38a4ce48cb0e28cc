#pragma once

#include <string>
#include <utility>
#include <vector>

#include <ATen/core/ivalue.h>

#include "torch/arguments.h"

// Where a program's state is while it runs. Internal: includes LibTorch.
namespace tonnx::torch {

using NamedValues = std::vector<std::pair<std::string, c10::IValue>>;

// Adds the tensors and numbers in `value`, which is made of the argument, by the names of the inputs that add_inputs()
// makes of them.
void add_named(const BoundArgument& argument, const c10::IValue& value, NamedValues& values);

// The attribute, or the item of a container in one, at a path from the object ("block.cache.0"); None where there is
// none.
c10::IValue value_at(const c10::IValue& object, const std::string& path);

}  // namespace tonnx::torch
