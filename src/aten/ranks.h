#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// True if the node can be lowered for unknown ranks: it is elementwise, reduces all elements, or reads sizes. False for
// a node with blocks.
bool takes_any_rank(const ir::Node& node);

// True if LibTorch refuses the node in every run, whatever the sizes are: a tensor of known rank lacks an axis that the
// node names, or has a rank that the operator does not support.
bool refuses_rank(const ir::Node& node);

}  // namespace tonnx::aten
