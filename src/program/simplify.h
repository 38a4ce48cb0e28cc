#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/replace_quantised.h"

namespace tonnx::program {

// Removes what a model does not need: warnings, prints, profiling nodes, branches with a constant condition or with one
// path that only raises, loops with a small constant trip count, round trips between numbers and tensors, tuples (split
// across branches and loops; a graph output of tuple type becomes one output for each item), lists that are built and
// unpacked, results with a constant value, dead code and unused weights.
//
// Raising::Keep keeps the paths that only raise; infer_facts() reports those that the example inputs reach.
// Raising::DropSettled keeps only those that check a rank which is not known yet.
//
// Uses facts if there are any. Safe for programs with writing operators: these and what they may touch are kept.
// Returns true if control flow was removed or passes values in another form; inferring facts again may then find more.
enum class Raising { Drop, DropSettled, Keep };
bool simplify(ir::Graph& graph, Raising raising = Raising::DropSettled);

// The parts of simplify(). Each is one walk and returns true if it changed something.
bool drop_effects(ir::Graph& graph);                        // warn, print, assertions, profiling
bool fold_control_flow(ir::Graph& graph, Raising raising);  // constant conditions, raising branches, short loops
bool fold_handed_on(ir::Graph& graph);                      // propagates copies through branches and loops
bool carry_identities(ir::Graph& graph);  // the answer of `a is b`, carried through branches and loops
bool split_tuples(ir::Graph& graph);
bool split_tuple_lists(ir::Graph& graph);     // lists of tuples that branches and loops change
bool split_optional_lists(ir::Graph& graph);  // lists of optionals that no other pass unpacks
bool split_chosen(ir::Graph& graph);          // dicts, and lists of tensors, that both paths of a branch create
bool split_rebuilt(
    ir::Graph& graph);  // dicts that each iteration rebuilds from their own entries, if no other pass treats them
bool split_dicts(ir::Graph& graph);         // dicts with constant keys that branches and loops write to
bool tuple_chosen_dicts(ir::Graph& graph);  // dicts that branches and loops choose or exchange, without writes
bool tuple_dicts(ir::Graph& graph);         // lists of dicts with the same keys, for split_tuple_lists()
bool split_lists(
    ir::Graph& graph);  // lists of equal length in every iteration and on both paths, in programs without writes
bool split_optionals(ir::Graph& graph);  // optionals across branches and loops
bool fold_containers(ir::Graph& graph);  // lists and tuples that are built and unpacked
bool fold_dicts(ir::Graph& graph);       // reads of dicts with constant keys and without writes
bool fold_numbers(ir::Graph& graph);     // number -> tensor -> number; results that are constant

// The same for a graph output that is such a list, and for all lists that flow into it. Returns their keys; empty if
// the lists are unchanged.
std::vector<std::string> tuple_output_dicts(ir::Graph& graph, const ir::Value& list);
// split_tuple_lists() for graph outputs. Returns the replacement of each output: one list for each item of its tuples,
// or the output itself. The caller replaces the outputs. Empty if none changes.
std::vector<std::vector<ir::Value*>> split_output_lists(ir::Graph& graph);

// Attributes of an operator whose axis choose_axes() has set: the axis, and whether it ran at any sizes at which facts
// were inferred (absent if it never failed).
inline constexpr const char* kChosenAxis = "chosen_axis";
inline constexpr const char* kRuns = "runs";

// Attribute of a loop that changes the dtype of a carried tensor. Set by infer_facts().
inline constexpr const char* kDtypeChanges = "dtype_changes";

// Attribute of a loop: the carried values that are tensors whose rank the loop changes. Set by infer_facts().
inline constexpr const char* kRankChanges = "rank_changes";

// Attribute of a node that no run reaches, because it reads a value that no run has. Set by infer_facts().
inline constexpr const char* kUnreached = "unreached";

// Attribute of a loop whose trip count is the same in every run: the trip count; -1: dynamic. Set by infer_facts().
inline constexpr const char* kKnownTurns = "turns";

// A separate pass, before functionalise(): a write to a dynamically chosen list or dict becomes a branch for each
// candidate. After functionalise(), reads of such containers. True if there were any. `warnings`: where to report
// containers with one candidate, which is taken whatever the index is; or null.
bool branch_changes(ir::Graph& graph, std::vector<std::string>* warnings);
// Before it: the same for tensors that branches choose, including views and fresh tensors.
bool branch_chosen_tensors(ir::Graph& graph);
// After it: dicts with dynamic keys become two lists.
bool list_dicts(ir::Graph& graph);

// Before both, in programs with writes: an einsum of one tensor without sums returns a view, which its schema does not
// mark. It becomes diagonals and a permutation: einsum("bii->ib", x) is movedim(diagonal(x, 0, 1, 2), ...).
bool spell_views(ir::Graph& graph);

// Before them: an operator that returns a view at some dynamic sizes and a copy at others becomes a branch, if the
// difference matters. True if there was any.
bool branch_views(ir::Graph& graph);

// Before them: stores a copy of a value that is put into a container and not written to later, if its variable is
// assigned again.
bool copy_kept(ir::Graph& graph);

// Before them: a read of the item just appended to a list becomes that item. True if there was any.
bool read_appended(ir::Graph& graph);

// Removes the assignment of an item to itself (`l[i] += x`), which branch_changes() calls. True if there was any.
bool keep_items(ir::Graph& graph);

// Before them: moves the append of a value after later writes to that value.
void append_late(ir::Graph& graph);

// Right before functionalise(): after an in-place change of shape, a tensor that is a view or has one is replaced by a
// view.
void view_reshaped(ir::Graph& graph);

// After append_late(), in programs with writes: replaces lists of tensors and containers whose items are known wherever
// they change by one value for each item.
bool split_changed_lists(ir::Graph& graph);
// Before functionalise(): moves the first iteration of a loop that starts with None in place of a list, and sets items
// of lists, before the loop.
bool peel_unbegun_lists(ir::Graph& graph);

// Separate passes after functionalise(). True if they changed something; then infer the facts again.
bool flat_lists(
    ir::Graph& graph);  // a list of lists of dynamic length becomes a list of all items and a list of lengths
bool repeat_lists(
    ir::Graph& graph);  // a list of tensors times a number, if one of them is dynamic, becomes a loop or a sum
bool append_behind(ir::Graph& graph);    // moves what both paths of a branch append to a list after the branch
bool branch_squeezes(ir::Graph& graph);  // a squeeze of dynamic axes becomes a branch if a reader needs the rank
// An operator that LibTorch refuses in every run raises. `warnings`: where to report it, or null.
bool raise_refused(ir::Graph& graph, std::vector<std::string>* warnings);
bool sink_readers(
    ir::Graph& graph);  // moves readers of a result whose rank or dtype depends on the branch into the branch
bool peel_loops(ir::Graph& graph);  // moves the first iteration of a loop that changes a dtype, or a rank that a reader
                                    // needs, before the loop
// Casts the value of a peeled loop without iterations to the dtype that it has otherwise, with a warning.
bool widen_skipped(ir::Graph& graph, std::vector<std::string>& warnings);

// A read of a dict by a dynamic key becomes a branch for each key. True if there were any. `warnings`: where to report
// keys that the model does not check, or null.
bool branch_lookups(ir::Graph& graph, std::vector<std::string>* warnings);
// The same for strings that loops carry or that are chosen dynamically: they are numbered, and the numbers are
// compared.
bool number_texts(ir::Graph& graph);
// After it: moves other readers of such a string, or of a list of them, into a branch for each possible string.
bool branch_texts(ir::Graph& graph);
// The same for operators along a dynamic axis, except those in `kept`. A branch whose operator always raises along its
// axis raises.
bool choose_axes(ir::Graph& graph, const Kept& kept);
// The same for dynamic flags, such as keepdim. Also works before facts are inferred and in programs with writes.
bool choose_flags(ir::Graph& graph, const Kept& kept);

// Strides of a tensor that is contiguous in every run become products of its sizes. True if there were any.
bool spell_strides(ir::Graph& graph);

// After all of them: moves an operator that splits a tensor into a dynamic number of pieces into the branches and loops
// that read a piece at a constant index, because only they imply that there are enough pieces:
//
//   %l = aten::unbind(%x, 0)                prim::If(%c)
//   prim::If(%c)                              block0: %l = aten::unbind(%x, 0), %a = aten::__getitem__.t(%l, 2)
//     block0: %a = aten::__getitem__.t(%l, 2)
bool split_where_read(ir::Graph& graph);

// Last: fills values that no run reads with zeros, because a model cannot hold undefined values.
void fill_uninitialised(ir::Graph& graph);

}  // namespace tonnx::program
