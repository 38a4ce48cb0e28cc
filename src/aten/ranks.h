#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// Whether the node gives the same, or can be lowered, without the ranks of its tensors: what takes elements one by one, or all of them.
// No for a node with blocks.
bool takes_any_rank(const ir::Node& node);

// Whether LibTorch refuses the node in every run, for its first tensor, whose rank is known, lacks an axis that it names, or is of a
// rank that the operator does not take.
bool refuses_rank(const ir::Node& node);

}  // namespace tonnx::aten
