#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::ir {

// The weights of a model that its program's became (Value::origin), in the order of the state dict: of each the one
// that stands as it was, else those that were made of it.
std::vector<Value*> weights_in_order(const Graph& model);

// All weights of a model as they stand among its inputs: those first, then what else is one.
std::vector<Value*> weights_as_inputs(const Graph& model);

}  // namespace tonnx::ir
