#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::ir {

// The weights of a model that stem from the program's (Value::origin), in the order of the state dict. Of several with
// the same origin, the unchanged one; if there is none, all.
std::vector<Value*> weights_in_order(const Graph& model);

// All weights of a model in the order of its inputs: those of weights_in_order() first, then the others.
std::vector<Value*> weights_as_inputs(const Graph& model);

}  // namespace tonnx::ir
