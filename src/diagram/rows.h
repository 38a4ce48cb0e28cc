#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "diagram/tree.h"

namespace tonnx::diagram {

// Fills Tree::contents and Tree::edges for these pairs of boxes (from, to). The source comes before the target in the
// order of the graph, and neither contains the other one.
void add_rows(Tree& tree, const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

}  // namespace tonnx::diagram
