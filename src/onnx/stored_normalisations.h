#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace tonnx::onnx {

// Whether a weight of `least` bytes or more is made of one that lies in a file and of a normalisation.
bool has_normalised_weights(const ir::Graph& graph, std::uint64_t least);

// Takes normalisations out of those weights again, which then are the file's own, and puts BatchNormalization behind
// the nodes that read them.
void restore_normalisations(ir::Graph& graph, std::uint64_t least);

}  // namespace tonnx::onnx
