#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "program/replace_quantised.h"

namespace tonnx::program {

// Removes what a model does not need: warnings and prints, profiling nodes, branches whose condition is constant or
// whose other side only raises, loops of a small known length, round trips between numbers and tensors, tuples (split
// across branches and loops; graph outputs of tuple type become one output an item), lists that are built and taken
// apart, results known to be constant, and code and weights that nothing reads.
//
// Raising::Keep leaves the sides that only raise, which infer_facts() reports where the example inputs lead there;
// Raising::DropSettled those alone that check a rank which is not known yet.
//
// Uses facts where there are any. Safe on programs with writing operators: these and what they may touch stay. Returns
// true if control flow went away or hands on values in another form, so that facts inferred again may tell more.
enum class Raising { Drop, DropSettled, Keep };
bool simplify(ir::Graph& graph, Raising raising = Raising::DropSettled);

// The parts, each one walk; they return whether they changed something.
bool drop_effects(ir::Graph& graph);                        // warn, print, assertions, profiling
bool fold_control_flow(ir::Graph& graph, Raising raising);  // constant conditions, raising branches, short loops
bool fold_handed_on(ir::Graph& graph);                      // what branches and loops only hand on
bool carry_identities(ir::Graph& graph);  // questions whether what branches and loops hand on is one object
bool split_tuples(ir::Graph& graph);
bool split_tuple_lists(ir::Graph& graph);     // lists of tuples that branches and loops change
bool split_optional_lists(ir::Graph& graph);  // lists of None or something, where no other pass takes the items apart
bool split_chosen(ir::Graph& graph);          // dicts, and lists of tensors, that both ways of a branch make
bool split_rebuilt(
    ir::Graph& graph);  // dicts that turns of a loop rebuild of what they hold, where no other pass knows them
bool split_dicts(ir::Graph& graph);         // dicts that branches and loops write to
bool open_dicts(ir::Graph& graph);          // dicts that get constant keys in branches and loops
bool tuple_chosen_dicts(ir::Graph& graph);  // dicts that branches and loops choose or exchange, and nobody writes to
bool tuple_dicts(ir::Graph& graph);         // lists of dicts of the same keys, which split_tuple_lists() takes apart
bool split_lists(
    ir::Graph& graph);  // lists of as many items in every turn and on either way, in programs without writes
bool split_optionals(ir::Graph& graph);  // None or something across branches and loops
bool fold_containers(ir::Graph& graph);  // lists and tuples built and taken apart
bool fold_dicts(ir::Graph& graph);       // reads of dicts with constant keys that nothing writes
bool fold_numbers(ir::Graph& graph);     // number -> tensor -> number; results that are constant

// The same for an output of the program that is such a list, and those that it meets: their keys; none where they stay.
std::vector<std::string> tuple_output_dicts(ir::Graph& graph, const ir::Value& list);
// The same: what each output becomes, a list an item of its tuples or itself, which the caller puts in its place; none
// where all stay.
std::vector<std::vector<ir::Value*>> split_output_lists(ir::Graph& graph);

// Attributes of an operator along the axis that choose_axes() gave it: which axis, and whether it ran at any sizes that
// facts were inferred at (absent, where it was not seen to fail).
inline constexpr const char* kChosenAxis = "chosen_axis";
inline constexpr const char* kRuns = "runs";

// The attribute of a loop with a tensor whose dtype its turns change; facts are inferred with it.
inline constexpr const char* kDtypeChanges = "dtype_changes";

// Which of the values that a loop carries are tensors whose rank its turns change; facts are inferred with it.
inline constexpr const char* kRankChanges = "rank_changes";

// That of a node which no run comes to, for it reads what none does; facts are inferred with it.
inline constexpr const char* kUnreached = "unreached";

// That of a loop which makes as many turns in every run: their number, -1 where it is dynamic; facts are inferred
// with it.
inline constexpr const char* kKnownTurns = "turns";

// A pass of its own, before functionalise(): changes of a list or dict that a run picks from others; behind it, reads
// of such. True if there were any.
bool branch_changes(ir::Graph& graph);
// Before these: the same for tensors that branches choose, views and new ones among them.
bool branch_chosen_tensors(ir::Graph& graph);
// The same for dicts whose keys are dynamic, behind it; they become lists.
bool list_dicts(ir::Graph& graph);

// Before both, in programs with writes: an einsum of one tensor that adds up nothing gives a view of it, which no
// schema marks, and becomes diagonals and an order of axes: einsum("bii->ib", x) is movedim(diagonal(x, 0, 1, 2), ...).
bool spell_views(ir::Graph& graph);

// Before them: what gives a view at some open sizes and a copy at others becomes a branch, where it matters. True if
// there was any.
bool branch_views(ir::Graph& graph);

// Before them: what goes into a container and is written to no more, while its name goes on to something new, is copied
// there.
bool copy_kept(ir::Graph& graph);

// Before them: what has just been appended to a list is read by its own name. True if anything was.
bool read_appended(ir::Graph& graph);

// Before them: an item that is set to itself (`l[i] += x`) is not set. True if any was.
bool keep_items(ir::Graph& graph);

// Before them: what goes into a container in front of writes to it goes there behind them.
void append_late(ir::Graph& graph);

// Right before functionalise(): a tensor whose shape changes in place, and that is a view or has one, goes on as a
// view.
void view_reshaped(ir::Graph& graph);

// Behind that, in programs with writes: lists of tensors and containers whose items are known wherever they change
// become these.
bool split_changed_lists(ir::Graph& graph);
// Before what is written becomes values: the first turn of a loop that begins without a list, and sets items of lists,
// goes before it.
bool peel_unbegun_lists(ir::Graph& graph);

// Passes of their own, after functionalise(). True if they changed something, so that facts are to be inferred anew.
bool flat_lists(
    ir::Graph& graph);  // lists of lists whose lengths a run decides become what they hold and their lengths
bool repeat_lists(
    ir::Graph& graph);  // lists of tensors times a number, where a run decides one of both, become loops or sums
bool append_behind(ir::Graph& graph);    // what both sides of a branch put at the end of a list goes there behind it
bool branch_squeezes(ir::Graph& graph);  // axes dropped by their size become branches where a reader wants a rank
bool raise_by_rank(ir::Graph& graph);    // sides in which an operator refuses the rank of its tensor raise
bool sink_readers(
    ir::Graph& graph);  // readers of results whose rank or dtype depends on the branch go into the branches
bool peel_loops(
    ir::Graph& graph);  // the first turn of a loop that changes a dtype, or a rank that a reader wants, goes before it
// Where a peeled loop makes no turn, its value takes the dtype that it has else, which a warning tells.
bool widen_skipped(ir::Graph& graph, std::vector<std::string>& warnings);

// The same for reads of dicts by keys that a run decides: branches that tell the keys apart. True if there were any.
bool branch_lookups(ir::Graph& graph);
// The same for texts that loops carry or a run picks, which are compared by numbers.
bool number_texts(ir::Graph& graph);
// Behind it: who reads such a text else, or a list built of them, does so in a branch for each text that it may be.
bool branch_texts(ir::Graph& graph);
// The same for operators along an axis that a run decides, but for those that are `kept`; a branch whose operator
// surely raises along its axis raises.
bool choose_axes(ir::Graph& graph, const Kept& kept);
// The same for flags, such as keepdim, that a run decides; also before facts are inferred, in programs with writes.
bool choose_flags(ir::Graph& graph, const Kept& kept);

// Strides of a tensor that surely lies in the order of its axes become products of its sizes. True if there were any.
bool spell_strides(ir::Graph& graph);

// Behind all of them: what takes a tensor apart into as many pieces as a run decides is done in the branches and loops
// that read pieces of it by constant places, for only these know that there are as many:
//
//   %l = aten::unbind(%x, 0)                prim::If(%c)
//   prim::If(%c)                              block0: %l = aten::unbind(%x, 0), %a = aten::__getitem__.t(%l, 2)
//     block0: %a = aten::__getitem__.t(%l, 2)
bool split_where_read(ir::Graph& graph);

// Last: values that no run reads get some content, for a model has no other way to hold them.
void fill_uninitialised(ir::Graph& graph);

}  // namespace tonnx::program
