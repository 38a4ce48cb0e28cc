#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// What is assigned by indices loses its leading axes of size 1 in LibTorch's interfaces, by a view that is recorded
// right before. How many rows a mask picks depends on the values, so that a recording in which it picked one has that
// view and others have none. This takes it out of such a recording: what is assigned is broadcast all the same. For a
// raw program with recorded dims.
void keep_assigned_ranks(ir::Graph& graph);

}  // namespace tonnx::aten
