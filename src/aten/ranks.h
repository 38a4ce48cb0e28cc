#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// Whether the node can be lowered without the ranks of its tensors: it takes elements one by one, or all of them, or
// asks for their sizes. No for a node with blocks.
bool takes_any_rank(const ir::Node& node);

// Whether LibTorch refuses the node in every run, whatever the sizes are: a tensor, whose rank is known, lacks an axis
// that the node names, or is of a rank that the operator does not take.
bool refuses_rank(const ir::Node& node);

}  // namespace tonnx::aten
