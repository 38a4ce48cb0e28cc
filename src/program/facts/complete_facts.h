#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Derives facts of values without facts from their operands and from the branches that yield them. Existing facts are
// not changed. For programs whose importer sets facts.
void complete_facts(ir::Graph& graph);

// The same after infer_facts(), for results of operators that could not be evaluated. Results of branches and loops are
// left without facts.
void complete_open_facts(ir::Graph& graph);

}  // namespace tonnx::program
