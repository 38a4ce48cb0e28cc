#pragma once

#include <cstddef>
#include <vector>

#include "ir/facts_view.h"
#include "ir/graph.h"

namespace tonnx::program {

// The axes of the first argument that an operator such as aten::squeeze removes, or may remove, in ascending order.
struct SingleAxes {
  std::vector<std::size_t> dropped;
  std::vector<std::size_t> open;  // removed if their dynamic size is 1
};

// Empty for other operators, and if the rank of the argument is unknown. If the node names dynamic axes, all axes
// count.
SingleAxes single_axes(const ir::Node& node, const ir::FactsView& known = {});

}  // namespace tonnx::program
