#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// Whether the node does something though nobody reads its results: it writes to an argument, or acts as its traits say.
bool has_effect(const ir::Node& node);

// Removes nodes, results of branches, carried values and weights that nothing reads; nodes with an effect stay, and
// what they stand in and read. For importers and program passes alike. Returns whether something went away.
bool remove_dead(ir::Graph& graph);

}  // namespace tonnx::aten
