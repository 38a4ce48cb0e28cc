#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/facts/sample_hints.h"

namespace tonnx::program {

// Returns a refusal for the node, without sizes.
SizeRefusal refusal_at(const ir::Node& node, const std::string& message);

// Returns the module path of a check that raises inside a branch or loop, if the module uses one of its weights after
// the check; else an empty path. If nothing is left of the module, the program does not reach the check.
std::string layer_after(const ir::Node& raise);

// True if the program that is lowered still has the operator.
bool is_present(const ir::Graph& program, const SizeRefusal& refusal);

// True if the model fails where the program does. `program` is the one that is lowered.
bool is_checked(const ir::Graph& program, const SizeRefusal& refusal);

// Returns a line per place at which the program fails at some sizes of dynamic axes, or raises depending on tensor
// data, while the model may compute a result: "OPERATOR in MODULE (SOURCE): the program fails where ...". `program` is
// the one that is lowered.
std::vector<std::string> refused_sizes(const ir::Graph& program, const std::vector<SizeRefusal>& refusals);

}  // namespace tonnx::program
