#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// What is assigned by indices loses its leading axes of size 1 in LibTorch's C++ interface, by a view that is recorded. How
// many rows a mask picks depends on the values, so that a recording of one picked row has the view and others have none:
// they have none after this, which changes no value, for what is assigned is broadcast. For a raw program with recorded
// dims.
void keep_assigned_ranks(ir::Graph& graph);

}  // namespace tonnx::aten
