#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/facts/facts.h"

namespace tonnx::program {

// Finds constants that may be the example size of a dynamic axis, recorded as a number: size arguments of view,
// reshape, expand and similar operators (aten::Traits::spells_sizes) at the index of that axis, if the operand's dims
// depend on it and the result's do not; and ends of slices along it. Ignores code that the user wrote as a script.
// Returns one line each, "OPERATOR in MODULE (SOURCE): ...", in program order. Needs facts and example sizes.
std::vector<std::string> find_fixed_sizes(const ir::Graph& graph, const std::vector<InputAxis>& dynamic);

}  // namespace tonnx::program
