#include "program/pipeline.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "program/pass_table.h"

namespace tonnx::program {

namespace {

// The bounds of the fixpoints. A round of `simplify` resolves one level of nesting. A branch or loop that facts decide
// may decide the next one. `settle` terminates: every round removes a branch, a result of one, a loop or an output that
// is a container, and the copies that peel_loops and sink_readers create are nested less deeply.
constexpr Bound kSimplifyRounds{.rounds = 20, .hit = Bound::Hit::Repeat};
constexpr Bound kDecideRounds{.rounds = 16, .hit = Bound::Hit::Warn};
constexpr Bound kBranchRounds{.rounds = 3, .hit = Bound::Hit::Warn};
constexpr Bound kSettleRounds{.rounds = 1000, .rounds_per_node = 4, .hit = Bound::Hit::Error};
constexpr Bound kFlagRounds = kSettleRounds;       // each round makes a flag constant
constexpr Bound kAlignmentRounds = kSettleRounds;  // each round decides one test

Step run(std::string_view name) {
  const Pass& pass = find_pass(name);
  return {.kind = Step::Kind::Pass, .name = pass.name, .pass = &pass};
}

std::vector<Step> run(std::initializer_list<std::string_view> names) {
  std::vector<Step> steps;
  for (const std::string_view name : names) steps.push_back(run(name));
  return steps;
}

Step make_simplify(std::string_view name, std::string_view fold_control_flow) {
  return sequence(
      name,
      {run("drop_effects"), run("remove_dead"),
       fixpoint(
           "simplify", Progress::Changes, kSimplifyRounds,
           {first_change("what is left whole", Progress::Changes,
                         {sequence("split and fold",
                                   run({"fold_numbers", fold_control_flow, "propagate_copies", "carry_identities",
                                        "split_optionals", "split_dicts", "split_record_lists", "split_tuples",
                                        "split_lists", "fold_copies", "fold_containers", "fold_dicts", "remove_dead"})),
                          run("split_optional_lists")})})});
}

// Folds the control flow that constants decide, before alias analysis looks into it. A program without control flow
// needs no facts yet.
Step decide() {
  return fixpoint("decide control flow", Progress::InvalidFacts, kDecideRounds,
                  {run("infer_facts"), simplify_steps(Raising::DropSettled)}, Feature::ControlFlow);
}

// Removes dead code and tuples first, which makes later passes cheaper. Facts follow after choose_flags, because ranks
// and dtypes may depend on flags.
Step before_facts() {
  return sequence("before facts",
                  {simplify_steps(Raising::Keep), run("join_weights"), run("replace_quantised"), run("replace_nested"),
                   fixpoint("choose flags", Progress::Changes, kFlagRounds, {run("choose_flags")}), decide(),
                   fixpoint("branch alignment", Progress::Changes, kAlignmentRounds,
                            {if_changed(Progress::Changes, {run("branch_alignment"), decide()})}),
                   sequence("statistics", {run("infer_facts"), run("write_statistics")}, Feature::Statistics)});
}

// Replaces writes by values. State is found first, because it makes values live at the end of the program, and later
// passes ask which values are live.
Step remove_writes() {
  const Step& simplify = simplify_steps(Raising::DropSettled);
  return sequence(
      "remove writes",
      {run("find_state_writes"), run("spell_views"), run("branch_views"), run("copy_stored"),
       fixpoint(
           "branch changes", Progress::Changes, kBranchRounds,
           {if_changed(Progress::Changes, {sequence("references", run({"branch_changes", "list_dicts"})), simplify})}),
       run("infer_facts"),
       if_changed(Progress::Changes, run({"spell_views", "infer_facts"})),  // an einsum whose equation needs a rank
       if_changed(Progress::Changes, run({"replace_memory", "infer_facts"})), run("view_reshaped"),
       run("functionalise"), run("name_state_outputs"),
       // Without writes, lists have the items that they were built from, and more code is dead.
       simplify},
      Feature::Writes);
}

// Runs the passes that need facts. After a change, facts are inferred again before the next pass, which may depend on
// them.
Step settle() {
  Step changes = sequence(
      "facts and outputs",
      {simplify_steps(Raising::DropSettled), run("flatten_outputs"),
       first_change("first change", Progress::InvalidFacts,
                    run({"choose_axes", "choose_flags", "branch_lookups", "branch_changes", "compare_strings",
                         "number_strings", "branch_strings", "repeat_lists", "hoist_appends", "branch_squeezes",
                         "raise_refused", "sink_readers", "spell_strides", "peel_loops", "widen_skipped"}))});
  Step lists = first_change("lists", Progress::InvalidFacts, run({"flat_lists", "part_outputs"}));
  return fixpoint("settle", Progress::InvalidFacts, kSettleRounds,
                  {if_changed(Progress::InvalidFacts, {first_change("program or lists", Progress::InvalidFacts,
                                                                    {std::move(changes), std::move(lists)}),
                                                       run("infer_facts")})});
}

Step make_pipeline() {
  return sequence("program passes",
                  {before_facts(), remove_writes(), run("infer_facts"), settle(), run("drop_raising"),
                   run("remove_dead"), run("sink_splits"), run("refuse_unquantisable"), run("fill_uninitialised")});
}

// Prints a group that occurs several times only once.
class OrderText {
 public:
  void add(const Step& step, std::size_t depth = 0) {
    text_ += std::string(2 * depth, ' ') + head_of(step);
    if (!step.only_if.empty()) text_ += " [" + step.only_if.text() + "]";
    const bool is_new = step.pass || step.kind == Step::Kind::IfChanged || seen_.insert(content_of(step)).second;
    text_ += is_new ? "\n" : ", as above\n";
    for (const Step& inner : is_new ? step.steps : std::vector<Step>()) add(inner, depth + 1);
  }

  const std::string& text() const { return text_; }

 private:
  static std::string head_of(const Step& step) {
    std::string name(step.name);
    switch (step.kind) {
      case Step::Kind::Pass: return name;
      case Step::Kind::Sequence: return "in order: " + name;
      case Step::Kind::FirstChange: return "up to the first change: " + name;
      case Step::Kind::IfChanged: return "if the first changes something, the others:";
      case Step::Kind::Fixpoint: break;
    }
    const Bound& bound = step.bound;
    const std::string more =
        bound.rounds_per_node > 0 ? " and " + std::to_string(bound.rounds_per_node) + " a node" : "";
    return "fixpoint: " + name + ", at most " + std::to_string(bound.rounds) + more + " rounds";
  }

  static std::string content_of(const Step& step) {
    std::string content = head_of(step);
    for (const Step& inner : step.steps) content += "\n" + content_of(inner);
    return content;
  }

  std::string text_;
  std::set<std::string> seen_;
};

}  // namespace

const Step& simplify_steps(Raising raising) {
  static const Step keep = make_simplify("simplify, keeping branches that raise", "fold_control_flow_keep_raising");
  static const Step settled = make_simplify("simplify", "fold_control_flow");
  static const Step drop = make_simplify("simplify, without branches that raise", "drop_raising");
  return raising == Raising::Keep ? keep : raising == Raising::Drop ? drop : settled;
}

const Step& pipeline() {
  static const Step made = make_pipeline();
  return made;
}

std::string to_text(const Step& step) {
  OrderText order;
  order.add(step);
  return order.text();
}

}  // namespace tonnx::program
