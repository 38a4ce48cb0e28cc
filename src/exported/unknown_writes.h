#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::exported {

// Of calls whose schema the archive leaves open: the names of those that would change what is read behind them if they
// wrote to an argument, each once, in their order.
std::vector<std::string> unknown_writers(const ir::Graph& graph, std::span<const ir::Node* const> calls);

}  // namespace tonnx::exported
