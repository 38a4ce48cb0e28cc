#pragma once

#include "ir/graph.h"

// Passes that make views explicit, before functionalise(). Each returns true if it changed something.
namespace tonnx::program {

// Makes an einsum of one tensor without sums, a view that its schema does not mark, diagonals and a permutation:
// einsum("bii->ib", x) is movedim(diagonal(x, 0, 1, 2), ...).
bool spell_views(ir::Graph& graph);
// Makes an operator that returns a view at some dynamic sizes and a copy at others a branch, if the difference matters.
bool branch_views(ir::Graph& graph);
// Replaces a tensor whose shape changes in place, and that is a view or has one, by a new view. After the other passes
// of this header.
void view_reshaped(ir::Graph& graph);

}  // namespace tonnx::program
