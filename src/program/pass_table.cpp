#include "program/pass_table.h"

#include <algorithm>
#include <string>

#include "aten/remove_dead.h"
#include "ir/error.h"
#include "program/containers/fold_copies.h"
#include "program/containers/outputs.h"
#include "program/containers/passes.h"
#include "program/control/passes.h"
#include "program/control/raising.h"
#include "program/nested/branch_alignment.h"
#include "program/nested/replace_nested.h"
#include "program/quantised/replace_quantised.h"
#include "program/references/passes.h"
#include "program/strings/passes.h"
#include "program/writes/functionalise.h"
#include "program/writes/passes.h"
#include "program/writes/replace_memory.h"
#include "program/writes/state_writes.h"

namespace tonnx::program {

namespace {

template <bool (*pass)(ir::Graph&)>
bool on_graph(PassContext& context) {
  return pass(context.graph);
}

// For a pass that does not report whether it changed something.
template <void (*pass)(ir::Graph&)>
bool on_graph(PassContext& context) {
  pass(context.graph);
  return true;
}

template <Raising raising>
bool fold_with(PassContext& context) {
  return fold_control_flow(context.graph, raising, context.marks);
}

bool infer_facts(PassContext& context) {
  context.infer();
  return true;
}

bool find_written_state(PassContext& context) {
  if (!context.state->as_outputs) return false;
  const std::size_t outputs = context.graph.outputs().size();
  find_state_writes(context.graph, *context.state);
  return context.graph.outputs().size() != outputs;
}

// Names the outputs that find_state_writes() and functionalise() have added.
bool name_state_outputs(PassContext& context) {
  context.output_names->resize(context.graph.outputs().size() - context.state->outputs.size());
  for (const ir::StateWrite& write : context.state->outputs) context.output_names->push_back(ir::written_name(write));
  return false;
}

bool join_overlapping(PassContext& context) { return join_weights(context.graph, *context.state); }

constexpr Features kFlow = Feature::ControlFlow;
constexpr Features kConditions = Feature::ControlFlow | Feature::Identities;

const Pass kPasses[] = {
    // Facts.
    {.name = "infer_facts",
     .run = infer_facts,
     .infers_facts = true,
     .doc = "infers dtype, rank, sizes and constants of all values"},
    // Simplification of programs with or without facts.
    {.name = "drop_effects",
     .run = on_graph<drop_effects>,
     .doc = "removes warnings, prints, assertions and profiling nodes"},
    {.name = "remove_dead", .run = on_graph<aten::remove_dead>, .doc = "removes unused nodes, results and weights"},
    {.name = "fold_numbers",
     .run = on_graph<fold_numbers>,
     .doc = "folds number -> tensor -> number, and results with a constant value"},
    {.name = "fold_control_flow_keep_raising",
     .run = fold_with<Raising::Keep>,
     .treats = kConditions,
     .invalidates_facts = true,
     .doc = "the same as fold_control_flow, but keeps branches that only raise"},
    {.name = "fold_control_flow",
     .run = fold_with<Raising::DropSettled>,
     .treats = kConditions,
     .invalidates_facts = true,
     .doc = "inlines branches with a constant condition, unrolls short loops, drops raising branches"},
    {.name = "propagate_copies",
     .run = on_graph<propagate_copies>,
     .treats = kFlow,
     .invalidates_facts = true,
     .doc = "propagates copies through If and Loop"},
    {.name = "carry_identities",
     .run = on_graph<carry_identities>,
     .treats = Feature::Identities,
     .invalidates_facts = true,
     .doc = "carries the answer of `a is b` through If and Loop"},
    {.name = "split_optionals",
     .run = on_graph<split_optionals>,
     .treats = kFlow,
     .invalidates_facts = true,
     .doc = "makes an optional result of If or Loop a flag and a value"},
    {.name = "split_dicts",
     .run = on_graph<split_dicts>,
     .treats = Feature::Dicts,
     .invalidates_facts = true,
     .doc = "makes a dict of constant keys that If or Loop changes or returns a flag and a value for each key"},
    {.name = "split_record_lists",
     .run = on_graph<split_record_lists>,
     .treats = Feature::Nested,
     .doc = "makes a list of tuples, or of dicts with the same keys, a list for each field"},
    {.name = "split_tuples",
     .run = on_graph<split_tuples>,
     .treats = Feature::Tuples,
     .doc = "makes a tuple that If, Loop or the program returns a result for each item"},
    {.name = "split_lists",
     .run = on_graph<split_lists>,
     .treats = Feature::Containers,
     .invalidates_facts = true,
     .doc = "makes a list of known length that If or Loop changes or returns a value for each item"},
    {.name = "fold_copies",
     .run = on_graph<fold_copies>,
     .treats = Feature::Writes,
     .doc = "removes copies of lists that are not written to, and loops that only gather items"},
    {.name = "fold_containers",
     .run = on_graph<fold_containers>,
     .treats = Feature::Containers,
     .doc = "reads items of lists and tuples from where these are built"},
    {.name = "fold_dicts",
     .run = on_graph<fold_dicts>,
     .treats = Feature::Dicts,
     .doc = "reads values of dicts with constant keys from where these are built"},
    {.name = "split_optional_lists",
     .run = on_graph<split_optional_lists>,
     .treats = Feature::Containers,
     .doc = "makes a list of optionals a list of flags and a list of values"},
    // Before facts.
    {.name = "join_weights",
     .run = join_overlapping,
     .treats = Feature::Writes,
     .doc = "makes weights that overlap one that is written to views of it"},
    {.name = "replace_quantised",
     .run = [](PassContext& c) { return replace_quantised(c.graph, *c.output_names, c.kept), true; },
     .invalidates_facts = true,
     .doc = "replaces quantised tensors by float tensors and fake_quantize"},
    {.name = "replace_nested",
     .run = [](PassContext& c) { return replace_nested(c.graph, *c.warnings, c.kept), true; },
     .invalidates_facts = true,
     .doc = "replaces nested tensors by padded tensors and masks"},
    {.name = "choose_flags",
     .run = [](PassContext& c) { return choose_flags(c.graph, c.kept); },
     .invalidates_facts = true,
     .doc = "makes a dynamic flag, dtype or list of axes an If with a branch for each value"},
    {.name = "branch_alignment",
     .run = on_graph<branch_alignment>,
     .invalidates_facts = true,
     .doc = "moves the nodes after a test that decides which tensors are nested into a branch for each result"},
    {.name = "write_statistics",
     .run = [](PassContext& c) { return write_statistics(c.graph, *c.state), true; },
     .treats = Feature::Statistics,
     .needs_facts = true,
     .invalidates_facts = true,
     .doc = "makes the update of running statistics in training a write"},
    // Before functionalise, in programs with writes.
    {.name = "find_state_writes",
     .run = find_written_state,
     .doc = "adds inputs, weights and attributes that are written to as outputs, if the user wants them"},
    {.name = "spell_views",
     .run = on_graph<spell_views>,
     .invalidates_facts = true,
     .doc = "makes an einsum of one operand that sums nothing diagonals and movedim"},
    {.name = "branch_views",
     .run = on_graph<branch_views>,
     .invalidates_facts = true,
     .doc = "makes a reshape that is a view at some sizes only an If"},
    {.name = "copy_stored",
     .run = on_graph<copy_stored>,
     .invalidates_facts = true,
     .doc = "stores a copy of a value whose variable is assigned again after the store"},
    {.name = "branch_changes",
     .run = [](PassContext& c) { return branch_changes(c.graph, c.warnings); },
     .treats = Feature::ControlFlow | Feature::Writes | Feature::Nested,
     .invalidates_facts = true,
     .doc = "moves readers and writers of a reference to one of several objects into a branch for each object"},
    {.name = "list_dicts",
     .run = [](PassContext& c) { return list_dicts(c.graph, *c.state); },
     .treats = Feature::Dicts,
     .invalidates_facts = true,
     .doc = "makes a dict with dynamic keys a list of keys and a list of values"},
    {.name = "replace_memory",
     .run = [](PassContext& c) { return replace_memory(c.graph, *c.warnings); },
     .needs_facts = true,
     .invalidates_facts = true,
     .doc = "makes a tensor that takes the storage of another one (`set_`) a view of that"},
    {.name = "view_reshaped",
     .run = on_graph<view_reshaped>,
     .needs_facts = true,
     .invalidates_facts = true,
     .doc = "makes a change of a view's shape in place a new view"},
    {.name = "functionalise",
     .run = [](PassContext& c) { return functionalise(c.graph, *c.refusals, c.state, c.warnings), true; },
     .needs_facts = true,
     .invalidates_facts = true,
     .doc = "replaces every write by its functional form"},
    {.name = "name_state_outputs", .run = name_state_outputs, .doc = "names the outputs that hold written state"},
    // After functionalise.
    {.name = "flatten_outputs",
     .run = [](PassContext& c) { return flatten_outputs(c.graph, c.marks, *c.output_names, *c.warnings); },
     .invalidates_facts = true,
     .doc = "makes an output that is a tuple, list or dict an output for each item"},
    {.name = "choose_axes",
     .run = [](PassContext& c) { return choose_axes(c.graph, c.kept, c.marks); },
     .needs_facts = true,
     .needs_no_writes = true,
     .invalidates_facts = true,
     .doc = "makes an operator with a dynamic axis an If with a branch for each axis"},
    {.name = "branch_lookups",
     .run = [](PassContext& c) { return branch_lookups(c.graph, c.warnings); },
     .treats = Feature::Dicts,
     .needs_no_writes = true,
     .invalidates_facts = true,
     .doc = "makes a lookup by a dynamic key an If for each key"},
    {.name = "compare_strings",
     .run = on_graph<compare_strings>,
     .treats = Feature::Strings,
     .needs_no_writes = true,
     .invalidates_facts = true,
     .doc = "compares strings built from integers by the integers"},
    {.name = "number_strings",
     .run = on_graph<number_strings>,
     .treats = Feature::Strings,
     .invalidates_facts = true,
     .doc = "numbers the strings that If or Loop select, and compares the numbers"},
    {.name = "branch_strings",
     .run = on_graph<branch_strings>,
     .treats = Feature::Strings,
     .needs_no_writes = true,
     .invalidates_facts = true,
     .doc = "makes a string that a loop carries or a list contains an If with a branch for each string"},
    {.name = "repeat_lists",
     .run = on_graph<repeat_lists>,
     .treats = Feature::Containers,
     .invalidates_facts = true,
     .doc = "makes the product of a list and a number a Loop or a sum"},
    {.name = "hoist_appends",
     .run = on_graph<hoist_appends>,
     .treats = kFlow,
     .invalidates_facts = true,
     .doc = "moves what both branches append to a list after the If"},
    {.name = "branch_squeezes",
     .run = on_graph<branch_squeezes>,
     .needs_facts = true,
     .needs_no_writes = true,
     .invalidates_facts = true,
     .doc = "makes a squeeze of dynamic axes an If where a reader needs the rank"},
    {.name = "raise_refused",
     .run = [](PassContext& c) { return raise_refused(c.graph, c.reports_raising ? nullptr : c.warnings); },
     .needs_facts = true,
     .needs_no_writes = true,
     .invalidates_facts = true,
     .doc = "raises before an operator with a rank that it refuses, and before a division of integers by 0"},
    {.name = "sink_readers",
     .run = on_graph<sink_readers>,
     .treats = kFlow,
     .needs_facts = true,
     .needs_no_writes = true,
     .invalidates_facts = true,
     .doc = "moves readers of a result whose rank or dtype depends on the branch into the branches"},
    {.name = "spell_strides",
     .run = on_graph<spell_strides>,
     .needs_facts = true,
     .needs_no_writes = true,
     .invalidates_facts = true,
     .doc = "computes the strides of a contiguous tensor from its sizes"},
    {.name = "peel_loops",
     .run = [](PassContext& c) { return peel_loops(c.graph, c.marks); },
     .treats = kFlow,
     .needs_facts = true,
     .needs_no_writes = true,
     .invalidates_facts = true,
     .doc = "moves the first iteration of a Loop that changes a dtype or rank before the Loop"},
    {.name = "widen_skipped",
     .run = [](PassContext& c) { return widen_skipped(c.graph, *c.warnings); },
     .treats = kFlow,
     .needs_facts = true,
     .invalidates_facts = true,
     .doc = "casts the value of a peeled Loop without iterations to the dtype of its iterations"},
    {.name = "flat_lists",
     .run = on_graph<flat_lists>,
     .treats = Feature::Nested,
     .invalidates_facts = true,
     .doc = "makes a list of lists of dynamic length a list of all items and a list of lengths"},
    {.name = "part_outputs",
     .run = [](PassContext& c) { return part_outputs(c.graph, *c.output_names); },
     .treats = Feature::Nested,
     .invalidates_facts = true,
     .doc = "makes an output that is a list of tuples or dicts a list for each item"},
    // Last.
    {.name = "drop_raising",
     .run = fold_with<Raising::Drop>,
     .treats = kConditions,
     .invalidates_facts = true,
     .doc = "the same as fold_control_flow, and drops checks of an unknown rank"},
    {.name = "sink_splits",
     .run = on_graph<sink_splits>,
     .doc = "moves an operator that splits a tensor into pieces into the branches that read a piece"},
    {.name = "refuse_unquantisable",
     .run = [](PassContext& c) { return refuse_unquantisable(c.graph), false; },
     .doc = "refuses operators on quantised tensors that have no float form"},
    {.name = "fill_uninitialised",
     .run = [](PassContext& c) { return fill_uninitialised(c.graph, c.marks), true; },
     .doc = "fills values that are never read with zeros"},
};

}  // namespace

std::span<const Pass> pass_table() { return kPasses; }

const Pass& find_pass(std::string_view name) {
  const auto found = std::ranges::find(kPasses, name, &Pass::name);
  if (found == std::end(kPasses)) throw ir::Error(ir::Code::Internal, "no pass is called " + std::string(name));
  return *found;
}

}  // namespace tonnx::program
