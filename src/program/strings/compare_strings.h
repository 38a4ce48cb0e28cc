#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Compares strings built from dynamic integers by the integers. Needs a program without writes. True if it changed
// something.
bool compare_strings(ir::Graph& graph);

}  // namespace tonnx::program
