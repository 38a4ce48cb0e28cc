#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Before view_reshaped(): a tensor that gets the memory of another one (set_) goes on as a view of that:
//
//   %z = aten::set_(%y, %x)              %v = aten::alias(%x)
//   return (%y, %z)                      return (%v, %v)
//
// Needs facts, and a change in the block where the tensor is made, before which no container, branch or loop has the
// tensor. Arguments of the program are told of in `warnings`. True if there was any, so that facts are to be inferred
// anew.
bool replace_memory(ir::Graph& graph, std::vector<std::string>& warnings);

}  // namespace tonnx::program
