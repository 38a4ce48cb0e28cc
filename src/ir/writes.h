#pragma once

#include <cstddef>

#include "ir/graph.h"

namespace tonnx::ir {

// Side effects of a node, according to its schema.
bool writes(const Node& node);
bool writes_argument(const Node& node, std::size_t input);

// True if any node of the graph writes to an argument.
bool has_writes(const Graph& graph);

}  // namespace tonnx::ir
