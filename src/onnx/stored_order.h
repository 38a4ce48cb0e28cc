#pragma once

#include <cstdint>
#include <memory>

#include "ir/graph.h"

namespace tonnx::onnx {

// A copy of the graph whose weights are unchanged regions of files: each weight of at least `least` bytes that is a
// permuted view of a file region is stored in the file's order and transposed by a node, and what was folded into a
// weight of the file is nodes again. Null if nothing needs to change.
std::unique_ptr<ir::Graph> as_stored(const ir::Graph& graph, std::uint64_t least);

}  // namespace tonnx::onnx
