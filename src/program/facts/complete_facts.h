#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Sets facts of values without facts from their operands and from the branches and loop bodies that return them.
// Existing facts are not changed. For programs whose importer sets facts.
void complete_facts(ir::Graph& graph);

// The same after infer_facts(), for operators that could not be evaluated. Does not set results of branches and loops.
void complete_open_facts(ir::Graph& graph);

}  // namespace tonnx::program
