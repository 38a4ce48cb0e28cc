#pragma once

#include "ir/graph.h"
#include "program/control/raising.h"

namespace tonnx::program {

// Runs the group `simplify` of pipeline.h. Removes warnings, prints, profiling nodes, branches with a constant
// condition or with one path that only raises, loops with a small constant trip count, round trips between numbers and
// tensors, tuples, lists that are built and unpacked, results with a constant value, dead code and unused weights.
//
// Uses facts if there are any. Programs may write in place: writes and the values they may change are preserved.
// Returns true if facts are invalid: control flow was removed or passes values in another form.
bool simplify(ir::Graph& graph, Raising raising = Raising::DropSettled);

}  // namespace tonnx::program
