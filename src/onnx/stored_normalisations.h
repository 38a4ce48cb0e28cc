#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace tonnx::onnx {

// True if a weight of at least `least` bytes is computed from one that is stored in a file and a normalisation.
bool has_normalised_weights(const ir::Graph& graph, std::uint64_t least);

// Reverts folded normalisations: the weights are those of the file again, and a BatchNormalization follows each node
// that uses them.
void restore_normalisations(ir::Graph& graph, std::uint64_t least);

}  // namespace tonnx::onnx
