#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Gives facts to the values that have none, by those of the values they are made from and by the branches they come
// from; the facts that are there stay. For programs whose importer told what holds of their values.
void complete_facts(ir::Graph& graph);

// The same after facts were inferred, for the results of operators that no run could show: what branches and loops give
// stays open.
void complete_open_facts(ir::Graph& graph);

}  // namespace tonnx::program
