#pragma once

#include <cstddef>

#include "ir/graph.h"

namespace tonnx::ir {

// What a node does beyond its results, as its schema tells.
bool writes(const Node& node);
bool writes_argument(const Node& node, std::size_t input);

// Whether a node of the graph writes to an argument.
bool has_writes(const Graph& graph);

}  // namespace tonnx::ir
