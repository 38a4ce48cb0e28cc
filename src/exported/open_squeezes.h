#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/raw_program.h"

namespace tonnx::exported {

// Symbols of axes that may be of size 1 and that a node then drops, where the archive tells its result with them: each
// once, in the order of the nodes.
std::vector<std::string> squeezed_symbols(const ir::Graph& graph, const std::map<std::string, ir::SizeRange>& ranges);

}  // namespace tonnx::exported
