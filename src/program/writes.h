#pragma once

#include <cstddef>

#include "ir/graph.h"

namespace tonnx::program {

// What a node does beyond its results, as its schema tells.
bool writes(const ir::Node& node);
bool writes_argument(const ir::Node& node, std::size_t input);

}  // namespace tonnx::program
