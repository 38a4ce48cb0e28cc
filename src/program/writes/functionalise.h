#pragma once

#include "ir/graph.h"
#include "ir/refusal.h"
#include "ir/state_write.h"

namespace tonnx::program {

// Makes a program free of writes: every operator that changes a tensor or a list in place becomes its functional form,
// and every later reader, through whatever view, alias, list, branch or loop, reads the new value.
//
// Memory SSA over the alias forest (alias.h): each root has a current value; a view that is read after a write is made
// again from it; a write through a view scatters into its parent; branches return and loops carry the roots they write.
// The new value of an input, weight or buffer is seen by later readers; at the end `state`, if it is not null, gets it
// or notes that it is left out (state_writes.h).
//
// Needs facts where dtypes and view decisions matter (infer_facts() before it). Leaves nodes that nothing reads; what
// it adds carries dtype and dims of the memory it stands for, so infer the facts again. Linear in the program's size
// for straight code. It never guesses: where a write may or may not change another value that is read later, or a view
// has no inverse, `refusals` get operator, module and source line, and the program goes on as though only what is
// written to changed, or with a refused node (refusal.h) in place of the write; it must not be exported then.
void functionalise(ir::Graph& graph, ir::Refusals& refusals, ir::StateWrites* state = nullptr);

}  // namespace tonnx::program
