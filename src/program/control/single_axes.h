#pragma once

#include <cstddef>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Axes of the first argument of an operator that drops those of one element, in order, from the front.
struct SingleAxes {
  std::vector<std::size_t> dropped;
  std::vector<std::size_t> open;  // the result has them or not by their size when the model runs
};

// None for operators that drop no axes, and where the argument's rank is not known; all axes where a run names them.
SingleAxes single_axes(const ir::Node& node);

}  // namespace tonnx::program
