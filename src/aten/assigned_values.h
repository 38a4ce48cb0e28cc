#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// LibTorch's indexed assignment removes leading axes of size 1 from the values, by a view recorded just before the
// write. The number of rows that a mask selects depends on data, so only a recording in which it selected one row has
// that view. This pass removes the view from such a recording; the values broadcast anyway. For a raw program with
// recorded dims.
void keep_assigned_ranks(ir::Graph& graph);

}  // namespace tonnx::aten
