#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/refusal.h"
#include "ir/state_write.h"

namespace tonnx::program {

// Replaces every operator that changes a tensor or list in place by its functional form. Later readers, through any
// view, alias, list, branch or loop, read the new value.
//
// Memory SSA over the alias forest (alias.h): each root has a current version. A view that is read after a write is
// created again from it; a write through a view is scattered into its parent; branches return and loops carry the roots
// that they write. At the end `state`, if not null, receives the new values of inputs, weights and buffers, or notes
// that they are left out (state_writes.h).
//
// Needs facts to decide dtypes and views (infer_facts()). Leaves dead nodes. New nodes have the dtype and dims of the
// storage that they replace; infer the facts again. Linear in the size of straight-line code. If a write may change an
// alias that is read later, or a view has no inverse, adds operator, module and location to `refusals`, and continues
// as if only the written value changed, or with a refused node (refusal.h) in place of the write; do not export it
// then. `warnings`, if not null, receives a line for each operator that may read elements that it writes.
void functionalise(ir::Graph& graph, ir::Refusals& refusals, ir::StateWrites* state = nullptr,
                   std::vector<std::string>* warnings = nullptr);

}  // namespace tonnx::program
