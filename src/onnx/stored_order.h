#pragma once

#include <cstdint>
#include <memory>

#include "ir/graph.h"

namespace tonnx::onnx {

// A copy of the graph in which each weight of `least` bytes or more, whose elements lie in a file in another order of
// its axes, is read in the file's order and transposed by a node. Null if there is none.
std::unique_ptr<ir::Graph> in_stored_order(const ir::Graph& graph, std::uint64_t least);

}  // namespace tonnx::onnx
