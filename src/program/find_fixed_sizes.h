#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/facts.h"

namespace tonnx::program {

// Constants that look like the example size of a dynamic axis: in the sizes of view, reshape, expand and their kin,
// where the operand depends on the axis and the result has lost it, and at the ends of slices along it. One line each,
// "OPERATOR in MODULE (SOURCE): ...", in program order. The model computes what the recorded program computes, which
// at other sizes may not be what the module meant. Needs facts, and axes with sizes.
std::vector<std::string> find_fixed_sizes(const ir::Graph& graph, const std::vector<InputAxis>& dynamic);

}  // namespace tonnx::program
