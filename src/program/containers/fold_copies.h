#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// In programs with writes. A list of views of a tensor that is copied, neither of which anybody changes, is one list. A
// list that a loop fills with all items of another, or all parts of a tensor along an axis, and whose items are written
// to, becomes a copy of that list, or what unbind gives: [row for row in x]. Returns whether there was any.
bool fold_copies(ir::Graph& graph);

}  // namespace tonnx::program
