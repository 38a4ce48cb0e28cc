#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/control/raising.h"
#include "program/facts/marks.h"
#include "program/quantised/replace_quantised.h"

// Passes on branches, loops, scalars and dynamic axes. Each returns true if it changed the program.
namespace tonnx::program {

// Removes warnings, prints, assertions and profiling nodes.
bool drop_effects(ir::Graph& graph);
// Inlines branches with a constant condition, drops paths that raise, and unrolls short loops.
bool fold_control_flow(ir::Graph& graph, Raising raising, const FactMarks& marks);
// Propagates copies through branches and loops.
bool propagate_copies(ir::Graph& graph);
// Folds number -> tensor -> number, and results with a constant value.
bool fold_numbers(ir::Graph& graph);

// Replaces an operator along a dynamic axis by a branch for each axis, except nodes in `kept`. A branch raises if its
// operator always fails along its axis. Needs facts, and a program without writes.
bool choose_axes(ir::Graph& graph, const Kept& kept, const FactMarks& marks);
// The same for dynamic flags (keepdim), dtypes and lists of axes. Needs no facts; the program may have writes.
bool choose_flags(ir::Graph& graph, const Kept& kept);
// Replaces a squeeze of dynamic axes by a branch if a reader needs the rank.
bool branch_squeezes(ir::Graph& graph);

// Raises before an operator that LibTorch refuses in every run, and warns of it in `warnings`, unless that is null.
// Replaces the divisor 0 of a tensor without elements, which LibTorch accepts.
bool raise_refused(ir::Graph& graph, std::vector<std::string>* warnings);
// Moves readers of a result whose rank or dtype depends on the branch into the branch.
bool sink_readers(ir::Graph& graph);
// Moves the first iteration of a loop that changes a dtype, or a rank that a reader needs, before the loop.
bool peel_loops(ir::Graph& graph, FactMarks& marks);
// Casts the value of a peeled loop without iterations to the dtype that it has otherwise, with a warning.
bool widen_skipped(ir::Graph& graph, std::vector<std::string>& warnings);

// Replaces the strides of a tensor that is contiguous in every run by products of its sizes.
bool spell_strides(ir::Graph& graph);
// Replaces undefined values by zeros, because a model must define every value. The last pass of all.
void fill_uninitialised(ir::Graph& graph, const FactMarks& marks);

}  // namespace tonnx::program
