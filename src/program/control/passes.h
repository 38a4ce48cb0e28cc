#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/control/raising.h"
#include "program/quantised/replace_quantised.h"

// Passes on branches, loops, numbers and dynamic axes. Each returns true if it changed something.
namespace tonnx::program {

// Removes warnings, prints, assertions and profiling nodes.
bool drop_effects(ir::Graph& graph);
// Inlines branches with a constant condition, drops paths that raise, and unrolls short loops.
bool fold_control_flow(ir::Graph& graph, Raising raising);
// Propagates copies through branches and loops.
bool propagate_copies(ir::Graph& graph);
// Folds number -> tensor -> number, and results with a constant value.
bool fold_numbers(ir::Graph& graph);

// Makes an operator along a dynamic axis, except those in `kept`, a branch for each axis. A branch whose operator
// always raises along its axis raises. Before it, in programs without writes: the facts.
bool choose_axes(ir::Graph& graph, const Kept& kept);
// The same for dynamic flags (keepdim), dtypes and lists of axes. Also works before facts are inferred and in programs
// with writes.
bool choose_flags(ir::Graph& graph, const Kept& kept);
// Makes a squeeze of dynamic axes a branch if a reader needs the rank.
bool branch_squeezes(ir::Graph& graph);

// Raises before an operator that LibTorch refuses in every run. `warnings`: where to report it, or null.
bool raise_refused(ir::Graph& graph, std::vector<std::string>* warnings);
// Moves readers of a result whose rank or dtype depends on the branch into the branch.
bool sink_readers(ir::Graph& graph);
// Moves the first iteration of a loop that changes a dtype, or a rank that a reader needs, before the loop.
bool peel_loops(ir::Graph& graph);
// Before functionalise(): moves the first iteration of a loop that starts with None in place of a list, and sets items
// of lists, before the loop.
bool peel_unbegun_lists(ir::Graph& graph);
// Casts the value of a peeled loop without iterations to the dtype that it has otherwise, with a warning.
bool widen_skipped(ir::Graph& graph, std::vector<std::string>& warnings);

// Makes the strides of a tensor that is contiguous in every run products of its sizes.
bool spell_strides(ir::Graph& graph);
// Fills values that are read in no run with zeros, because a model cannot hold undefined values. The last pass.
void fill_uninitialised(ir::Graph& graph);

}  // namespace tonnx::program
