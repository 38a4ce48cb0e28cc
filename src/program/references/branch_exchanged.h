#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Before branch_chosen_tensors(), in programs with writes: what turns of a loop hand on in another order, and write to,
// is what a number chooses from the tensors of before the loop. True if there was any.
bool branch_rotated(ir::Graph& graph);

}  // namespace tonnx::program
