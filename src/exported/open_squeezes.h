#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/raw_program.h"

namespace tonnx::exported {

// Returns the symbols of axes that may have size 1 and that a node would then squeeze, although its result has them in
// the archive; without duplicates, in the order of the nodes.
std::vector<std::string> squeezed_symbols(const ir::Graph& graph, const std::map<std::string, ir::SizeRange>& ranges);

}  // namespace tonnx::exported
