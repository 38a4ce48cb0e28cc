#pragma once

#include "ir/graph.h"
#include "ir/state_write.h"

// Passes on tuples, lists, dicts and optionals. Each returns true if it changed something.
namespace tonnx::program {

// Parts of simplify().
bool fold_containers(ir::Graph& graph);       // lists and tuples that are built and unpacked
bool fold_dicts(ir::Graph& graph);            // reads of dicts with constant keys and without writes
bool split_tuples(ir::Graph& graph);          // tuples that branches and loops pass
bool split_record_lists(ir::Graph& graph);    // lists of tuples, or of dicts with the same keys
bool split_optionals(ir::Graph& graph);       // optionals across branches and loops
bool split_optional_lists(ir::Graph& graph);  // lists of optionals that no other pass unpacks
bool split_dicts(ir::Graph& graph);           // dicts with constant keys that branches and loops write to or return
// Lists of equal length in every iteration and on both paths of a branch.
bool split_lists(ir::Graph& graph);

// Makes a dict with dynamic keys a list of its keys and a list of its values. A returned dict of tensors becomes the
// output of its values and, as one of the extra outputs of `state`, that of its keys.
bool list_dicts(ir::Graph& graph, ir::StateWrites& state);

// After functionalise(). Facts are inferred again after a change.
bool flat_lists(ir::Graph& graph);     // lists of lists of dynamic length: a list of all items, and one of lengths
bool repeat_lists(ir::Graph& graph);   // a list of tensors times a number, one of them dynamic: a loop or a sum
bool hoist_appends(ir::Graph& graph);  // moves what both paths of a branch append to a list after the branch
// Makes a read of a dict by a dynamic key a branch for each key. `warnings`: where to report keys that the model does
// not check, or null.
bool branch_lookups(ir::Graph& graph, std::vector<std::string>* warnings);

// After `settle`: moves an operator that splits a tensor into a dynamic number of pieces into the branches and loops
// that read a piece at a constant index, because only they imply that there are enough pieces:
//
//   %l = aten::unbind(%x, 0)                prim::If(%c)
//   prim::If(%c)                              block0: %l = aten::unbind(%x, 0), %a = aten::__getitem__.t(%l, 2)
//     block0: %a = aten::__getitem__.t(%l, 2)
bool sink_splits(ir::Graph& graph);

}  // namespace tonnx::program
