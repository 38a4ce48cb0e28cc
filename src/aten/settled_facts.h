#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// Mends the facts of a node's results that the operator's arguments settle, whatever a document says: torch.export writes
// some that LibTorch's kernels contradict. Facts that the arguments leave open stay as they are. Thread-safe for graphs
// of one thread.
void settle_facts(ir::Node& node);

}  // namespace tonnx::aten
