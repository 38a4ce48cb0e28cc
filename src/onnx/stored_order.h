#pragma once

#include <cstdint>
#include <memory>

#include "ir/graph.h"

namespace tonnx::onnx {

// A copy of the graph whose weights are the files' own: each weight of `least` bytes or more, whose elements lie in a
// file in another order of its axes, is read in the file's order and transposed by a node, and normalisations stand in
// nodes of their own again. Null if there is nothing of the kind.
std::unique_ptr<ir::Graph> as_stored(const ir::Graph& graph, std::uint64_t least);

}  // namespace tonnx::onnx
