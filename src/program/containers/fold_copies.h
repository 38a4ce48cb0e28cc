#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Simplifies copies of lists in programs with writes; returns true if it changed something.
// - Replaces a copy of a list of views by the list, if neither list changes.
// - Replaces a loop that fills a list with all items of another list, or with all parts of a tensor along an axis, by a
//   copy of that list or by unbind, if the items are written to: [row for row in x].
bool fold_copies(ir::Graph& graph);

}  // namespace tonnx::program
