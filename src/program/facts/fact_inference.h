#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/evaluator.h"
#include "ir/value_table.h"
#include "program/facts/facts.h"
#include "program/facts/symbols.h"
#include "program/facts/thresholds.h"
#include "program/references/sharing.h"

namespace tonnx::program {

// How many items of a list are there in every run, at their places from its front and from its back.
struct Settled {
  std::size_t front = 0;
  std::size_t back = 0;
};

// One value in all samples of one inference.
struct Sampled {
  std::vector<ir::DatumPtr> samples;       // empty: unknown
  ir::DType dtype = ir::DType::Undefined;  // of an unknown tensor, if that is certain
  bool meta = false;                       // a tensor without data, or a container of one
  bool varies = false;                     // its value depends on a dynamic size or on tensor data
  bool unreachable = false;                // prim::Uninitialized, or made from it: no run reads it
  bool depends_on_data = false;            // its value, or a tensor's sizes, depend on tensor data
  std::vector<char> items;                 // whether each item of a list or tuple varies; empty: `varies` says it
  bool fixed_keys = false;                 // pairs of a dict, or one of them, with the same keys in every run
  bool fixed_form = false;  // a container of as many items, or of the same keys, in every run, as are those in it
  std::optional<Settled> settled;  // of a list in which runs put other items at other places, or of what holds one
  // Of a list of tensors that some runs find empty: in each sample where it is, how others find it there, or null;
  // nothing where they may find several that are not alike.
  std::vector<ir::DatumPtr> otherwise;
  bool is_mixed = false;  // an empty list that other runs may find with items that `otherwise` does not tell

  bool known() const { return !samples.empty(); }
};

// Thrown by FactInference::run: some samples failed at a node that sample 0 passed.
struct SampleFailure {
  const ir::Node* node;
  std::vector<std::size_t> samples;
  std::string message;
};

// Thrown inside an inference: the example sizes leave a loop, or a branch in it, before this turn.
struct ImpossibleTurn {};

// Thrown by FactInference::run: something depends on tensor data and there are no samples to show what follows from it.
struct NeedsDataSamples {};

// What the k-th data sample shows for a number or a size that is `example` in sample 0.
template <class Number>
Number other_number(Number example, std::size_t k) {
  return k == 0 ? example + 1 : 2 * example + 3;
}

// Whether an operator of the node's own block makes the tensor, in memory of its own.
bool is_made_beside(const ir::Value& tensor, const ir::Node& node);
// Whether a list or dict is made for the branch or loop that hands it on, with all lists and dicts in it, and known by
// no other name.
bool is_only_handed_on(const ir::Value& container);
// The operand of `list * n` or `n * list` that is the list; nothing for other operators.
std::optional<std::size_t> repeated_list(const ir::Node& node);
// Whether the node gives its first argument other sizes or other memory.
bool resizes(const ir::Node& node);

// Evaluates a program once at several samples of its sizes side by side and leaves the joined facts on its values.
// Sample 0 has the example sizes; every further sample of the table other sizes; then `data_samples` (0 or 2) samples
// have the example sizes and every data-dependent size and number another one, so that what follows from it differs
// there. What decides on sizes is noted in `thresholds`, if not null.
class FactInference {
 public:
  FactInference(ir::Graph& graph, ir::Evaluator& evaluator, SymbolTable table, std::size_t data_samples,
                const std::vector<InputAxis>& open, std::span<const ir::Constant> examples,
                const ir::ValueTable<ir::Facts>& imported, Thresholds* thresholds);

  void run();
  // The exceptions that tensor data decide on, in the order in which they were found.
  const std::vector<const ir::Node*>& raised_on_data() const { return raised_on_data_; }
  // Operators and exceptions in branches and loops that fail at samples whose sizes do not keep a run from them.
  const std::vector<SampleFailure>& failures_inside() const { return failures_inside_; }

 private:
  bool is_data_sample(std::size_t sample) const { return sample >= count_ - data_count_; }
  bool run_block(const ir::Block& block);  // false: it always raises
  bool run_uncertain(
      const ir::Block& block);  // false: it always raises, or the example sizes leave it out in this turn
  bool visit(ir::Node& node);
  bool visit_if(ir::Node& node);
  void note_raise(const ir::Node& node, bool alive, const ir::Node& raise);
  void note_inside(const ir::Node& node, std::size_t sample, const std::string& message);
  // For a branch or an iteration: restores which samples reach the nodes.
  class Reach {
   public:
    explicit Reach(FactInference& inference) : inference_(inference), before_(inference.unreached_) {}
    Reach(const Reach&) = delete;
    Reach& operator=(const Reach&) = delete;
    ~Reach() { inference_.unreached_ = std::move(before_); }

   private:
    FactInference& inference_;
    std::vector<bool> before_;
  };
  std::pair<bool, const ir::Node*> run_branch(const ir::Block& block);
  std::pair<bool, const ir::Node*> run_branch(const ir::Node& node, std::size_t side);
  bool visit_loop(ir::Node& node);
  // What differs between the turns of a loop in one carried value.
  struct Change {
    bool form = false;       // its dtype, rank or kind
    bool dtype = false;      // of a tensor, and surely so
    bool any_dtype = false;  // the dtype is not known to be the same in all iterations
    bool rank = false;       // the same
    bool value = false;      // a number, or small content
    std::vector<bool> dims;
    bool length = false;                   // how many items a list has
    bool shrinks = false;                  // some turn leaves fewer
    std::vector<std::vector<bool>> items;  // the dims of each tensor in a list
    std::vector<ir::DatumPtr> filled;      // by sample: such a list where it has an item, or null
    bool is_mixed = false;                 // the list is where it is empty
  };
  bool loop_unknown(ir::Node& node, std::vector<Sampled> carried, std::int64_t first);
  using Turns = std::vector<std::vector<Sampled>>;  // the carried values before each turn and after the last one
  Turns settled_turns(const ir::Node& loop, std::vector<Sampled> carried, std::vector<Change>& changes,
                      std::int64_t first);
  bool enters_never(const ir::Node& loop, std::size_t sample) const;
  Turns run_turns(const ir::Node& loop, const std::vector<Sampled>& carried, const std::vector<Change>& changes,
                  std::int64_t first);
  Sampled after_turns(std::vector<Sampled> turns, const Change& change, const ir::Type& type);
  std::optional<std::vector<std::size_t>> turns_by_size(const ir::Node& loop);
  std::optional<std::vector<ir::DatumPtr>> appended(const ir::Datum& begun, const ir::Datum& after, std::size_t shown,
                                                    std::size_t turns);
  std::optional<Sampled> grown_by_size(const ir::Node& loop, std::size_t k, const Sampled& begun, const Sampled& after,
                                       std::size_t shown, const Change& change);
  void show_change(Sampled& sampled, const Change& change, const ir::Type& type);
  bool note_item_changes(const Sampled& before, const Sampled& after, Change& change);
  void show_item_changes(Sampled& list, const Change& change);
  void note_otherwise(Sampled& list, const std::vector<ir::DatumPtr>& filled);
  bool are_all_alike(const std::vector<ir::DatumPtr>& items);
  void join_otherwise(Sampled& out, const Sampled& a, const Sampled& b);
  std::vector<ir::DatumPtr> items_found(const Sampled& list, std::size_t sample) const;
  bool may_be_mixed(const std::vector<const Sampled*>& inputs, const Sampled& list) const;
  bool note_changes(const ir::Node& loop, Turns& turns, std::vector<Change>& changes);
  std::size_t item_count(const Sampled& list) const;
  Settled settled_of(const Sampled& list) const;
  static Settled of_both(const Settled& a, const Settled& b);
  bool shows_lengths(const Sampled& list) const;
  bool is_certain_place(const ir::Value* place, const Sampled& list) const;
  bool takes_any_item(const ir::Node& node) const;
  Sampled of_any_item(const Sampled& list, std::size_t first = 0);
  std::optional<Sampled> any_taken(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  void show_any_taken(const ir::Node& node, const Sampled& list, const Sampled& any, std::vector<Sampled>& outputs);
  std::pair<std::size_t, std::size_t> possible_range(const ir::Node& node, const Sampled& list,
                                                     std::size_t count) const;
  std::vector<std::vector<ir::DatumPtr>> lost_items(const ir::Node& node, const Sampled& list,
                                                    const std::vector<std::vector<ir::DatumPtr>>& before,
                                                    const Sampled& after);
  void show_lost_items(const ir::Node& node, const Sampled& list, Sampled& part);
  bool changes_any_place(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  void forget_list(const ir::Node& node, std::vector<Sampled>& outputs);
  std::optional<Settled> settled_in(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                                    const Sampled& list) const;
  void settle_changed(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  void note_settled(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  bool holds_never(const Sampled& list) const;
  Sampled filled(Sampled list, const Sampled& other) const;
  Sampled filled_up(Sampled list) const;
  ir::DatumPtr any_read(const std::vector<ir::DatumPtr>& items) const;
  bool reads_never(const ir::Node& node) const;
  const Sampled& operand(const ir::Node& node, std::size_t i, std::list<Sampled>& made);
  void settle_never(std::vector<Sampled>& outputs) const;
  bool begin_with_reached(std::vector<Sampled>& carried, const Turns& turns) const;
  void evaluate(ir::Node& node);
  bool lacks_tensors(const ir::Node& node, const std::vector<ir::DatumPtr>& arguments);
  bool evaluate_otherwise(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::size_t sample,
                          std::vector<ir::DatumPtr>& results);
  void evaluate_samples(ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs,
                        ir::Evaluator::Outcome& outcome, bool& unknown);
  bool show_chosen(ir::Node& node, std::vector<std::vector<ir::DatumPtr>>& results,
                   const std::vector<std::size_t>& failed) const;
  // What numbers are in the samples that show other sizes, or those at a place in lists of them; nothing where one is
  // none.
  std::optional<std::vector<double>> numbers(const Sampled& sampled, std::size_t item = 0) const;
  std::optional<std::vector<double>> in_sizes(const Sampled& sampled,
                                              const std::function<std::optional<double>(const ir::Datum&)>& read) const;
  std::optional<std::vector<double>> sizes_along(const Sampled& tensor, std::size_t axis) const;
  std::vector<std::vector<double>> operands(const std::vector<const Sampled*>& inputs) const;
  bool is_claimed(const std::optional<std::vector<double>>& sizes) const;
  void note_thresholds(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                       const std::vector<Sampled>& outputs);
  bool claims_choice(const ir::Value& a, const ir::Value& b, const Sampled& chosen) const;
  void note_condition(const ir::Value& condition);
  void note_steps(const ir::Node& node, const Sampled& result);
  void note_step(const ir::Node& node, const Sampled& result, std::size_t axis, std::size_t result_axis,
                 const Sampled& steps, std::size_t item);
  void note_pieces(const ir::Node& node, const std::vector<const Sampled*>& inputs, const Sampled& pieces);
  void note_rounded(const ir::Node& node, std::vector<double> number);
  void note_bits(const ir::Node& node, std::vector<std::vector<double>> numbers);
  void note_turns(std::vector<double> trips);
  void note_cut(const ir::Node& node, const std::vector<const Sampled*>& inputs, const Sampled& part);
  bool has_open_length(const Sampled& list) const;
  bool is_sure_part(const ir::Node& node, const Sampled& list) const;
  void open_part(const ir::Node& node, const std::vector<const Sampled*>& inputs, Sampled& part);
  ir::DatumPtr any_item(const ir::Datum& list);
  static void show_other(std::vector<std::vector<ir::DatumPtr>>& results, const std::vector<std::size_t>& failed);
  class Elsewhere;
  // What holds of each result of a node that fails at the sizes of the samples; empty if it runs at no others.
  std::vector<ir::Facts> facts_elsewhere(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  // The same with what the facts of the arguments tell.
  std::vector<ir::Facts> known_facts(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  bool show_facts(const ir::Node& node, std::span<const ir::Facts> known, std::vector<Sampled>& outputs);
  bool show_known(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  bool runs_elsewhere(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  void show_impossible(const ir::Node& node, const ir::Facts& known, Sampled& out,
                       const std::vector<std::size_t>& failed);
  void show_impossible_items(const ir::Node& node, Sampled& out);
  std::optional<Sampled> shown(const ir::Facts& told);
  bool show_told_items(const ir::Node& node, Sampled& list);
  // `no_rule`: nothing evaluates it, so the importer is asked what it knew of the results.
  bool knows_tensors(const ir::Node& node) const;
  void set_unknown(ir::Node& node, bool no_rule = false);
  ir::DType dtype_of(const Sampled& sampled) const;
  // Unknown, but for the dtype that all of these have.
  Sampled unknown_of(std::span<const Sampled> values) const;
  std::vector<ir::DType> dtypes_at_any_rank(const ir::Node& node);
  Sampled pieces_of_any_size(const ir::Node& node);
  void record_any_number(ir::Node& node);
  Sampled imported_samples(const ir::Value& value);
  bool reshape_as_spelled(const ir::Node& node, std::vector<Sampled>& outputs);
  void open_rank(Sampled& squeezed, const Sampled& in, const std::vector<std::size_t>& axes);
  void mark_varying(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  void perturb_outputs(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  void open_what_data_decide(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                             std::vector<Sampled>& outputs);
  std::optional<std::vector<ir::DatumPtr>> results_on(const ir::Node& node, const std::vector<ir::DatumPtr>& arguments);
  std::optional<std::vector<std::vector<std::int64_t>>> result_sizes(const ir::Node& node,
                                                                     const std::vector<ir::DatumPtr>& arguments);
  using Variants = std::vector<std::vector<ir::DatumPtr>>;
  std::vector<Variants> other_arguments(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                                        const std::vector<ir::DatumPtr>& arguments, bool with_sizes = true);
  bool note_sensitive(const ir::Node& node, const std::vector<Variants>& changes,
                      const std::vector<ir::DatumPtr>& arguments, std::vector<std::vector<bool>>& open);
  std::optional<std::vector<std::vector<std::int64_t>>> item_sizes(const ir::Node& node,
                                                                   const std::vector<ir::DatumPtr>& arguments);
  std::optional<std::vector<std::vector<std::int64_t>>> sizes_in(const ir::Datum& list) const;
  void open_items(const ir::Node& node, const std::vector<Variants>& changes,
                  const std::vector<ir::DatumPtr>& arguments, Sampled& output);
  std::vector<std::vector<ir::DatumPtr>> other_numbers(const std::vector<ir::DatumPtr>& arguments, std::size_t place,
                                                       const Sampled& in, std::size_t item);
  std::vector<std::vector<ir::DatumPtr>> other_sizes(const std::vector<ir::DatumPtr>& arguments, std::size_t place,
                                                     const Sampled& in);
  std::vector<bool> data_dims(const ir::Node& node, std::size_t output, const std::vector<const Sampled*>& inputs,
                              std::size_t rank);
  bool has_fixed_form(const ir::Type& type, const Sampled& sampled) const;
  bool gives_fixed_count(const ir::Node& node, const std::vector<const Sampled*>& inputs) const;
  bool gives_fixed_form(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  std::optional<std::vector<ir::Dim>> dims_now(const ir::Value* tensor);
  bool keeps_form(const ir::Node& node, const std::vector<const Sampled*>& inputs) const;
  void note_container_writes(const ir::Node& node, const std::vector<const Sampled*>& inputs, bool sets_entry);
  void note_picked_write(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  bool note_entry(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  bool sets_entry(const ir::Node& node);
  bool reads_spoiled(const ir::Node& node, const std::vector<const Sampled*>& inputs) const;
  std::shared_ptr<const ir::Constant> key_of(const ir::Node& node) const;
  bool is_picked(const ir::Value* value) const;
  void spoil_entry(const ir::DatumPtr& dict, std::shared_ptr<const ir::Constant> key);
  void spoil_whole(const ir::Value* value);
  void spoil_possible(const ir::Value* container);
  bool may_be_written(const ir::Value* value) const;
  bool may_change(const ir::Value* value) const;
  bool is_either(const ir::Value* name, const ir::Value* a, const ir::Value* b, const Sampled& of_a,
                 const Sampled& of_b) const;
  std::vector<const ir::Value*> held_of(const ir::Type& type) const;
  void forget_uncertain_writes();
  void forget_content_written(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  void forget_content_possibly_written(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                                       bool is_evaluated);
  void forget_content(const Sampled& sampled);
  void forget_chosen(const ir::Value* name, const Sampled& a, const Sampled& b);
  void forget_resized(ir::Node& node);
  void forget_all_of(const ir::Value& resized);
  void forget_resized_out(const ir::Node& node, const std::vector<Sampled>& outputs);
  bool shares(const ir::Datum& datum, const ir::Datum& other);
  void spoil(Sampled& sampled) const;
  bool may_be_view_elsewhere(const ir::Node& node, const Sampled& in);
  void note_sharing(ir::Node& node, const Sampled& in, const Sampled& out);
  std::int64_t contiguous_offset(const Sampled& tensor);
  void read_behind_views(ir::Node& node);
  void note_layout(ir::Node& node);
  void forget_written_lists(const ir::Block& block);

  void note_ranks();
  void note_item_counts();
  void note_unreached();
  std::int64_t item_count(const ir::Value& list) const;
  std::int64_t size_in(const InputAxis& axis, std::size_t sample) const;
  Sampled input_samples(std::size_t index, const ir::Value& value);
  Sampled list_samples(std::size_t index, const ir::Value& value);
  Sampled constant_samples(const ir::Constant& constant);
  Sampled number(std::int64_t value);
  // Makes the data samples show other sizes at the given dims.
  void perturb(Sampled& sampled, const std::vector<bool>& dims);
  void require_data_samples() const;
  std::vector<bool> taken_in_samples(const ir::Value* condition) const;
  ir::DatumPtr another(const ir::Datum& shown, const Sampled& b, const Sampled& a);
  Sampled join(const Sampled& a, const Sampled& b, const std::vector<bool>& takes_first = {});
  Sampled join_known(const Sampled& a, const Sampled& b, const std::vector<bool>& takes_first);
  void drop_content(Sampled& sampled);
  bool are_alike(const Sampled& a, const Sampled& b);
  ir::DatumPtr in_length_of(const ir::DatumPtr& shown, const ir::Datum& one, const ir::Datum& other);
  Sampled join_items(Sampled out, const Sampled& a, const Sampled& b);
  Sampled join_unlike(Sampled out, const Sampled& a, const Sampled& b, const ir::Datum& other);
  bool is_open(const ir::Facts& f, const ir::Facts& g, const Sampled& a, const Sampled& b) const;
  Sampled join_ranks(const Sampled& a, const Sampled& b);
  bool same_items(const Sampled& a, const Sampled& b);
  bool is_like(const ir::Datum& a, const ir::Datum& b);

  std::optional<bool> certain(const ir::Value* condition) const;
  // The condition at the example sizes, where data have no part in it.
  std::optional<bool> on_example(const ir::Value* condition) const;
  std::optional<std::int64_t> certain_integer(const ir::Value* value) const;
  ir::Facts facts_of(Sampled& sampled);
  ir::Dim fitted(std::vector<std::int64_t> sizes);
  void record(ir::Value* value, Sampled sampled);
  const Sampled& of(const ir::Value* value) const;

  ir::Graph& graph_;
  ir::Evaluator& evaluator_;
  SymbolTable table_;
  std::size_t data_count_;  // samples at the end in which data differ
  std::size_t count_;       // all samples
  const std::vector<InputAxis>& open_;
  Thresholds* thresholds_;                             // null where nobody asks what decides on sizes
  std::map<std::vector<std::int64_t>, ir::Dim> fits_;  // by the sizes in all samples
  std::span<const ir::Constant> examples_;
  const ir::ValueTable<ir::Facts>& imported_;
  bool has_writes_ = false;
  int uncertain_ = 0;            // depth of blocks that may or may not run
  std::vector<bool> unreached_;  // by sample: its sizes keep a run from the nodes that are visited
  int turn_depth_ = 0;           // that of the innermost loop's turn
  bool further_turn_ = false;    // inside a turn behind the first one, of any loop
  // Lists and dicts that were changed, of sample 0, so that other names of them are met as well.
  struct Spoiled {
    ir::DatumPtr datum;
    bool unknown;  // what it holds is not known; else it depends on what its Sampled says
  };
  std::vector<Spoiled> spoiled_;
  bool forms_are_open_ = false;                 // the length or the keys of a container were changed by what varies
  std::vector<ir::DatumPtr> uncertain_writes_;  // changed in blocks that may or may not run
  // Entries of dicts that were given something else, of sample 0.
  struct Entry {
    ir::DatumPtr dict;
    std::shared_ptr<const ir::Constant> key;
  };
  std::vector<Entry> spoiled_entries_;                 // what they hold is not known
  std::vector<Entry> uncertain_entries_;               // in blocks that may or may not run
  std::unordered_set<const ir::Node*> open_settings_;  // nodes that ever gave an entry what is not like what it held
  bool has_resizes_ = false;
  bool has_never_ = false;          // some list holds what no run reads
  std::optional<Sharing> sharing_;  // where anything writes
  std::vector<const ir::Node*> raised_on_data_;
  std::vector<SampleFailure> failures_inside_;
  const ir::Node* raised_ = nullptr;  // what the last block that always raises ended with
  ir::ValueTable<Sampled> values_;
  ir::ValueSet seen_;
  std::unordered_set<const ir::Node*> sharing_seen_;
};

}  // namespace tonnx::program
