#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/facts/sample_hints.h"

namespace tonnx::program {

// That the node fails, at no sizes yet.
SizeRefusal refusal_at(const ir::Node& node, const std::string& message);

// Sizes of dynamic axes at which a program fails and its model may compute something, one line for each place:
// "OPERATOR in MODULE (SOURCE): the program fails where ...", and exceptions that tensor data decide on. `program` is
// the one that is lowered.
std::vector<std::string> refused_sizes(const ir::Graph& program, const std::vector<SizeRefusal>& refusals);

}  // namespace tonnx::program
