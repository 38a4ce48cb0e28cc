#pragma once

#include "ir/graph.h"
#include "program/control/raising.h"

namespace tonnx::program {

// Removes what a model does not need: warnings, prints, profiling nodes, branches with a constant condition or with one
// path that only raises, loops with a small constant trip count, round trips between numbers and tensors, tuples (split
// across branches and loops; a graph output of tuple type becomes one output for each item), lists that are built and
// unpacked, results with a constant value, dead code and unused weights. Runs the group `simplify` of pipeline.h.
//
// Uses facts if there are any. Safe for programs with writing operators: these and what they may touch are kept.
// Returns true if control flow was removed or passes values in another form; inferring facts again may then find more.
bool simplify(ir::Graph& graph, Raising raising = Raising::DropSettled);

}  // namespace tonnx::program
