#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// A pass of its own, in programs without writes: texts that are made of integers which a run decides are compared by
// these. True if there were any.
bool compare_strings(ir::Graph& graph);

}  // namespace tonnx::program
