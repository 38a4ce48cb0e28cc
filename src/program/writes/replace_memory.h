#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Makes a tensor that takes the storage of another one (set_) a view of that. Runs before view_reshaped():
//
//   %z = aten::set_(%y, %x)              %v = aten::alias(%x)
//   return (%y, %z)                      return (%v, %v)
//
// Needs facts, a set_ in the block that defines the tensor, and no container, branch or loop that has the tensor before
// it. Adds to `warnings` if the tensor is an argument of the program. Returns true if the graph changed; infer facts
// again.
bool replace_memory(ir::Graph& graph, std::vector<std::string>& warnings);

}  // namespace tonnx::program
