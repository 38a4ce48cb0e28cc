#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/facts/facts.h"

namespace tonnx::program {

// Constants that may be the example size of a dynamic axis, which a recording took for a number: in the sizes of view,
// reshape, expand and similar operators (aten::Traits::spells_sizes) at the place of that axis, if the operand depends
// on it and the result does not follow it; and ends of slices along it. Not in written code. One line each, "OPERATOR
// in MODULE (SOURCE): ...", in program order. Needs facts, and axes with sizes.
std::vector<std::string> find_fixed_sizes(const ir::Graph& graph, const std::vector<InputAxis>& dynamic);

}  // namespace tonnx::program
