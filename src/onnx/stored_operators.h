#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace tonnx::onnx {

// True if the tensor is a view of the result of a folded operator whose operand is stored in a file.
bool is_folded_from_file(const ir::Tensor& tensor);

// True if a weight of at least `least` bytes is computed from one that is stored in a file.
bool has_folded_weights(const ir::Graph& graph, std::uint64_t least);

// Reverts folded normalisations: the weights are those of the file again, and a BatchNormalization follows each node
// that uses them.
void restore_normalisations(ir::Graph& graph, std::uint64_t least);
// Reverts other folded operators, except for views of their results.
void restore_operators(ir::Graph& graph, std::uint64_t least);

}  // namespace tonnx::onnx
