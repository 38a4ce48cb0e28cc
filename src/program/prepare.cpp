#include "program/prepare.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "aten/remove_dead.h"
#include "ir/writes.h"
#include "program/branch_alignment.h"
#include "program/compare_texts.h"
#include "program/complete_facts.h"
#include "program/contract.h"
#include "program/edit.h"
#include "program/fold_copies.h"
#include "program/functionalise.h"
#include "program/outputs.h"
#include "program/refused_sizes.h"
#include "program/replace_memory.h"
#include "program/replace_nested.h"
#include "program/replace_quantised.h"
#include "program/settle.h"
#include "program/simplify.h"
#include "program/state_writes.h"

namespace tonnx::program {

namespace {

constexpr int kBranchRounds = 3;
constexpr int kRounds = 16;  // a folded branch or loop may decide the next; longer chains stay as they are

void verify_after([[maybe_unused]] const ir::Graph& graph, [[maybe_unused]] const char* pass) {
#ifndef NDEBUG
  verify(graph, pass);
#endif
}

bool has_control_flow(const ir::Graph& graph) {
  bool any = false;
  for_each_node(graph.block(), [&](const ir::Node* node) { any = any || !node->blocks().empty(); });
  return any;
}

std::vector<std::string> value_names(std::span<ir::Value* const> values) {
  std::vector<std::string> names;
  for (const ir::Value* value : values) names.push_back(value->name());
  return names;
}

// Axes that the user named apart and whose sizes the program wants to follow from each other.
void warn_of_related(const std::vector<InputAxis>& open, const std::vector<InputAxis>& dynamic,
                     std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i].is_fixed()) continue;
    const std::string& name = dynamic[i].symbol;
    const ir::Polynomial size = open[i].size();
    const std::string* symbol = size.symbol();
    if (!symbol) {
      warnings.push_back("dynamic axis " + name + " is " + size.text() + " wherever the program runs" +
                         (open[i].is_broadcast ? ", or one of them is 1" : ""));
    } else if (*symbol != name) {
      warnings.push_back("dynamic axes " + *symbol + " and " + name + " have one size wherever the program runs" +
                         (open[i].is_broadcast ? ", or one of them is 1; give both one name if that is never so"
                                               : "; give both one name"));
    }
  }
}

void warn_of_fixed(const ir::Graph& graph, const std::vector<InputAxis>& open, const std::vector<InputAxis>& dynamic,
                   const SampleHints& hints, std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (!open[i].is_fixed()) continue;
    const auto why = hints.fixed.find(dynamic[i].symbol);
    warnings.push_back(
        fixed_axis_text(dynamic[i], graph.inputs()[dynamic[i].input]->name(),
                        why == hints.fixed.end() ? "it has the size of another fixed axis" : why->second));
  }
}

void name_state_outputs(const ir::Graph& graph, const ir::StateWrites& state, std::vector<std::string>& output_names) {
  output_names.resize(graph.outputs().size() - state.outputs.size());
  for (const ir::StateWrite& write : state.outputs) output_names.push_back(ir::written_name(write));
}

void restore_names(ir::Graph& graph, const std::vector<std::string>& names, std::size_t added) {
  if (graph.outputs().size() != names.size() + added) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (graph.outputs()[i]->name().empty()) graph.outputs()[i]->set_name(names[i]);
}

// The passes; `infer` gives facts to the values that lack them.
void run_passes(ir::Graph& graph, const std::function<void()>& infer, std::vector<std::string>& output_names,
                std::vector<std::string>& warnings, ir::Refusals& refusals, ir::StateWrites& state, const Kept& kept) {
  // Dead code and tuples first: all that follows is the cheaper.
  simplify(graph, Raising::Keep);
  verify_after(graph, "simplify");
  replace_quantised(graph, output_names, kept);
  verify_after(graph, "replace_quantised");
  replace_nested(graph, warnings, kept);
  verify_after(graph, "replace_nested");
  // Before facts: ranks and dtypes may depend on flags.
  while (choose_flags(graph, kept)) verify_after(graph, "choose_flags");
  // Branches and loops that constants decide, before the aliases in them are asked for. Programs without control flow
  // and writes need no facts yet.
  const auto fold_branches = [&] {
    for (int round = 0; round < kRounds && has_control_flow(graph); ++round) {
      infer();
      if (!simplify(graph)) break;
      verify_after(graph, "simplify");
    }
  };
  fold_branches();
  while (branch_alignment(graph)) {
    verify_after(graph, "branch_alignment");
    fold_branches();
  }
  if (has_unmarked_statistics(graph)) {
    infer();
    write_statistics(graph, state);
  }
  // Functionalising asks for dtypes and for what shares memory.
  if (has_writes(graph)) {
    // Before what follows, which asks what is read later.
    if (state.as_outputs) find_state_writes(graph, state);
    while (peel_unbegun_lists(graph)) fold_branches();
    spell_views(graph);
    branch_views(graph);
    if (keep_items(graph)) fold_copies(graph);
    copy_kept(graph);
    read_appended(graph);
    append_late(graph);
    if (split_changed_lists(graph)) simplify(graph);
    // What is set in branches may be written to behind them.
    for (int round = 0; round < kBranchRounds; ++round) {
      const bool branched = branch_changes(graph);
      if (!list_dicts(graph) && !branched) break;
      simplify(graph);
    }
    infer();
    if (spell_views(graph)) infer();  // equations that needed a rank
    if (replace_memory(graph, warnings)) infer();
    view_reshaped(graph);
    functionalise(graph, refusals, &state);
    name_state_outputs(graph, state, output_names);
    verify_after(graph, "functionalise");
    // Without writes lists are what they were built from, and more is dead.
    simplify(graph);
    verify_after(graph, "simplify");
  }
  // The facts lowering reads: of every value, functional nodes included.
  infer();
  // What these facts make constant, and what they tell of the outputs. It ends: a round that wants another one took
  // away a branch, a result of one, a loop or an output that was a container, and what they leave behind, copies that
  // peeling and sinking make included, is nested less deep.
  const auto change = [&] {
    const bool folded = simplify(graph);
    const bool flattened = flatten_outputs(graph, output_names, warnings);
    return choose_axes(graph, kept) || choose_flags(graph, kept) || branch_lookups(graph) || branch_changes(graph) ||
           compare_texts(graph) || number_texts(graph) || branch_texts(graph) || repeat_lists(graph) ||
           append_behind(graph) || branch_squeezes(graph) || raise_by_rank(graph) || sink_readers(graph) ||
           spell_strides(graph) || peel_loops(graph) || widen_skipped(graph, warnings) || folded || flattened ||
           flat_lists(graph) || part_outputs(graph, output_names);
  };
  std::size_t limit = 1000;
  ir::for_each_node(graph.block(), [&](const ir::Node*) { limit += 4; });
  settle(change, infer, limit);
  fold_control_flow(graph, Raising::Drop);
  aten::remove_dead(graph);
  split_where_read(graph);
  refuse_unquantisable(graph);
  fill_uninitialised(graph);
  verify_after(graph, "simplify");
  check_contract(graph, "simplify", refusals);
}

}  // namespace

std::vector<InputAxis> prepare(ir::Graph& graph, ir::Evaluator& evaluator, std::vector<InputAxis> dynamic,
                               std::span<const ir::Constant> examples, std::vector<std::string>& output_names,
                               std::vector<std::string>& warnings, ir::Refusals& refusals, ir::StateWrites& state,
                               const Kept& kept, bool allow_fixed) {
  const std::vector<std::string> names = value_names(graph.outputs());
  resolve_sizes(graph, dynamic);
  // What is folded before the first facts must hold at every size.
  for (const InputAxis& axis : dynamic)
    (*graph.inputs()[axis.input]->facts().dims)[axis.axis] = ir::Dim::symbol(axis.symbol);
  std::vector<InputAxis> open;
  SampleHints hints;
  hints.allow_fixed = allow_fixed;
  run_passes(
      graph, [&] { open = infer_facts(graph, evaluator, dynamic, examples, &hints); }, output_names, warnings, refusals,
      state, kept);
  complete_open_facts(graph);
  warn_of_fixed(graph, open, dynamic, hints, warnings);
  warn_of_related(open, dynamic, warnings);
  for (std::string& line : refused_sizes(graph, hints.refusals)) warnings.push_back(std::move(line));
  restore_names(graph, names, state.outputs.size());
  return open;
}

void prepare(ir::Graph& graph, std::vector<std::string>& output_names, std::vector<std::string>& warnings,
             ir::Refusals& refusals, ir::StateWrites& state, const Kept& kept) {
  const std::vector<std::string> names = value_names(graph.outputs());
  run_passes(graph, [&] { complete_facts(graph); }, output_names, warnings, refusals, state, kept);
  restore_names(graph, names, state.outputs.size());
}

}  // namespace tonnx::program
