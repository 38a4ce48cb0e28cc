#pragma once

#include "ir/graph.h"

// Passes on dynamic strings, in programs without writes. Each returns true if it changed something.
namespace tonnx::program {

// Numbers the strings that branches choose or loops carry, and compares the numbers.
bool number_strings(ir::Graph& graph);
// After it: moves other readers of such a string, or of a list of them, into a branch for each possible string.
bool branch_strings(ir::Graph& graph);

}  // namespace tonnx::program
