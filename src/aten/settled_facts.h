#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::aten {

// Mends the facts of a node's results that the operator's arguments settle, whatever a document says: torch.export
// writes some that LibTorch's kernels contradict. Facts that the arguments leave open stay as they are. Returns the
// results that had another shape: what the document tells of shapes that follow from them is wrong as well. Thread-safe
// for graphs of one thread.
std::vector<const ir::Value*> settle_facts(ir::Node& node);

}  // namespace tonnx::aten
