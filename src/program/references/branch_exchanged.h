#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Replaces loop-carried tensors that iterations exchange or rotate, and write to, by the selection of a tensor from
// before the loop by a loop-carried number. Returns true if it changed the graph.
bool branch_rotated(ir::Graph& graph);

}  // namespace tonnx::program
