#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::exported {

// For calls whose schema the archive does not contain: returns the names of those that would change a later read if
// they wrote to an argument; without duplicates, in order.
std::vector<std::string> unknown_writers(const ir::Graph& graph, std::span<const ir::Node* const> calls);

}  // namespace tonnx::exported
