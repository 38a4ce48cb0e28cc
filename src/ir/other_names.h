#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::ir {

// Notes a further name in the program's state of the weight `name`: tied parameters, a buffer registered twice.
void add_other_name(Graph& graph, const std::string& name, std::string other);
// Those names, in the order of the state.
std::vector<std::string> other_names(const Graph& graph, const std::string& name);

}  // namespace tonnx::ir
