#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// True if the node has a side effect: it writes to an argument, or its traits say that it acts.
bool has_effect(const ir::Node& node);

// Removes dead nodes, results of branches, loop-carried values and weights. Keeps nodes with side effects, the nodes
// around them and their inputs. Used by importers and program passes. Returns true if something was removed.
bool remove_dead(ir::Graph& graph);

}  // namespace tonnx::aten
