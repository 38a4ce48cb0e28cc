#pragma once

#include "ir/graph.h"

// Passes on dynamic strings, in programs without writes. Each returns true if it changed something.
namespace tonnx::program {

// Compares strings built from dynamic integers by the integers.
bool compare_strings(ir::Graph& graph);
// Numbers the strings that branches or list reads select or loops carry, and compares the numbers.
bool number_strings(ir::Graph& graph);
// After number_strings(): makes a string that a loop carries or a list contains an If with a branch for each possible
// string, for other readers. sink_readers() moves these into the branches.
bool branch_strings(ir::Graph& graph);

}  // namespace tonnx::program
