#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

// Passes that decide what a reference refers to, before functionalise(); branch_changes() also runs in `settle`. Each
// returns true if it changed something.
namespace tonnx::program {

// Carries the answer of `a is b` through branches and loops.
bool carry_identities(ir::Graph& graph);
// Stores a copy of a value that is put into a container and not written to later, if its variable is assigned again.
bool copy_stored(ir::Graph& graph);
// Replaces a write to a list or dict that a branch selects by a branch for each candidate. After functionalise(), reads
// of such containers. `warnings`: where to report containers with one candidate, which is taken whatever the index is;
// or null.
bool branch_changes(ir::Graph& graph, std::vector<std::string>* warnings);
// Part of branch_changes(): removes the assignment of an item to itself (`l[i] += x`).
bool keep_items(ir::Graph& graph);

}  // namespace tonnx::program
