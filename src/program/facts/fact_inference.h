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

// How many items at the front, and at the back, of a list have the same index from that end in every run.
struct Settled {
  std::size_t front = 0;
  std::size_t back = 0;
};

// The abstract value of a program value: what it is in each sample of an inference.
struct Sampled {
  std::vector<ir::DatumPtr> samples;       // empty: unknown
  ir::DType dtype = ir::DType::Undefined;  // of an unknown tensor: its dtype, if known
  bool meta = false;                       // a tensor without data, or a container of one
  bool varies = false;                     // depends on a dynamic size or on tensor data
  bool unreachable = false;                // undefined: prim::Uninitialized, or computed from it
  bool depends_on_data = false;            // the value, or the sizes of a tensor, depend on tensor data
  std::vector<char> items;                 // per item of a list or tuple: it varies; empty: see `varies`
  bool fixed_keys = false;                 // pairs of a dict, or a pair, with the same keys in every run
  bool fixed_form = false;                 // this container and those in it have the same length or keys in every run
  std::optional<Settled> settled;          // of a list whose items may differ by run, or of its container
  // Of a list of tensors that is empty in some runs: for each sample in which it is empty, a non-empty list from
  // another path, or null. Empty if those lists may differ in dtype or shape.
  std::vector<ir::DatumPtr> otherwise;
  bool is_mixed = false;  // an empty list that may have items other than those of `otherwise` in other runs

  bool known() const { return !samples.empty(); }
};

// Thrown by FactInference::run: a node failed in some samples, but not in sample 0.
struct SampleFailure {
  const ir::Node* node;
  std::vector<std::size_t> samples;
  std::string message;
};

// Thrown inside an inference: the example sizes leave the loop, or skip a branch in it, before this iteration.
struct ImpossibleTurn {};

// Thrown by FactInference::run: a value depends on tensor data, but there are no data samples.
struct NeedsDataSamples {};

// The value of a number or size in the k-th data sample, if it is `example` in sample 0.
template <class Number>
Number other_number(Number example, std::size_t k) {
  return k == 0 ? example + 1 : 2 * example + 3;
}

// True if an operator in the node's block returns the tensor in fresh storage.
bool is_made_beside(const ir::Value& tensor, const ir::Node& node);
// True if a list or dict, with those in it, is built in the branch or loop that returns it and has no other use.
bool is_only_handed_on(const ir::Value& container);
// Returns the index of the list operand of `list * n` or `n * list`. Empty for other operators.
std::optional<std::size_t> repeated_list(const ir::Node& node);
// True if the node changes the sizes or the storage of its first argument.
bool resizes(const ir::Node& node);

// Evaluates a program once at several samples side by side and sets the joined facts of its values. Sample 0 has the
// example sizes, each further sample of the table other sizes. Then `data_samples` (0 or 2) samples follow: these have
// the example sizes, and another value of each data-dependent size and number, so that a result that depends on them
// differs. Notes comparisons that decide on sizes in `thresholds`, if not null.
class FactInference {
 public:
  FactInference(ir::Graph& graph, ir::Evaluator& evaluator, SymbolTable table, std::size_t data_samples,
                const std::vector<InputAxis>& open, std::span<const ir::Constant> examples,
                const ir::ValueTable<ir::Facts>& imported, Thresholds* thresholds);

  void run();
  // The raise nodes reached depending on tensor data, in the order in which they were found.
  const std::vector<const ir::Node*>& raised_on_data() const { return raised_on_data_; }
  // Nodes in branches and loops that fail in samples whose sizes may reach them.
  const std::vector<SampleFailure>& failures_inside() const { return failures_inside_; }

 private:
  bool is_data_sample(std::size_t sample) const { return sample >= count_ - data_count_; }
  bool run_block(const ir::Block& block);  // false: it always raises
  bool run_uncertain(
      const ir::Block& block);  // false: it always raises, or the example sizes skip it in this iteration
  bool visit(ir::Node& node);
  bool visit_if(ir::Node& node);
  void note_raise(const ir::Node& node, bool alive, const ir::Node& raise);
  void note_inside(const ir::Node& node, std::size_t sample, const std::string& message);
  // Restores `unreached_` after a branch or an iteration.
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
  // How a loop-carried value changes between iterations.
  struct Change {
    bool form = false;       // its dtype, rank or kind
    bool dtype = false;      // of a tensor, known to change
    bool any_dtype = false;  // the dtype is not known to be the same in all iterations
    bool rank = false;       // of a tensor, known to change
    bool value = false;      // a number, or small content
    std::vector<bool> dims;
    bool length = false;                   // the length of a list
    bool shrinks = false;                  // some iteration shortens the list
    std::vector<std::vector<bool>> items;  // the dims of each tensor in a list
    std::vector<ir::DatumPtr> filled;      // by sample: a non-empty state of the list, or null
    bool is_mixed = false;                 // Sampled::is_mixed of the list where it is empty
  };
  bool loop_unknown(ir::Node& node, std::vector<Sampled> carried, std::int64_t first);
  using Turns = std::vector<std::vector<Sampled>>;  // the loop-carried values before each iteration and after the last
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
  // The value of a number, or of an item of a list, in each sample with other sizes. Empty if one is not a number.
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
  // Facts of each result of a node that fails at the sizes of the samples. Empty if it runs at no other sizes.
  std::vector<ir::Facts> facts_elsewhere(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  // The same, joined with what the facts of the arguments imply.
  std::vector<ir::Facts> known_facts(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  bool show_facts(const ir::Node& node, std::span<const ir::Facts> known, std::vector<Sampled>& outputs);
  bool show_known(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  bool runs_elsewhere(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  void show_impossible(const ir::Node& node, const ir::Facts& known, Sampled& out,
                       const std::vector<std::size_t>& failed);
  void show_impossible_items(const ir::Node& node, Sampled& out);
  std::optional<Sampled> shown(const ir::Facts& told);
  bool show_told_items(const ir::Node& node, Sampled& list);
  // `no_rule`: the node cannot be evaluated, so the importer's facts of the results are used.
  bool knows_tensors(const ir::Node& node) const;
  void set_unknown(ir::Node& node, bool no_rule = false);
  ir::DType dtype_of(const Sampled& sampled) const;
  // Unknown, except for the dtype if all of these have the same.
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
  // Changes the given dims in the data samples.
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
  // The condition at the example sizes. Empty if it depends on data.
  std::optional<bool> on_example(const ir::Value* condition) const;
  std::optional<std::int64_t> certain_integer(const ir::Value* value) const;
  ir::Facts facts_of(Sampled& sampled);
  ir::Dim fitted(std::vector<std::int64_t> sizes);
  void record(ir::Value* value, Sampled sampled);
  const Sampled& of(const ir::Value* value) const;

  ir::Graph& graph_;
  ir::Evaluator& evaluator_;
  SymbolTable table_;
  std::size_t data_count_;  // data samples; they are the last ones
  std::size_t count_;       // all samples
  const std::vector<InputAxis>& open_;
  Thresholds* thresholds_;                             // null: thresholds are not noted
  std::map<std::vector<std::int64_t>, ir::Dim> fits_;  // by the sizes in all samples
  std::span<const ir::Constant> examples_;
  const ir::ValueTable<ir::Facts>& imported_;
  bool has_writes_ = false;
  int uncertain_ = 0;            // depth of blocks that may or may not run
  std::vector<bool> unreached_;  // by sample: its sizes do not reach the visited nodes
  int turn_depth_ = 0;           // `uncertain_` in the iteration of the innermost loop
  bool further_turn_ = false;    // inside an iteration after the first one, of any loop
  // Lists and dicts whose abstract value was invalidated by a write, as in sample 0; their aliases are invalid too.
  struct Spoiled {
    ir::DatumPtr datum;
    bool unknown;  // its content is unknown; else it varies
  };
  std::vector<Spoiled> spoiled_;
  bool forms_are_open_ = false;  // a write changed the length or keys of a container depending on a value that varies
  std::vector<ir::DatumPtr> uncertain_writes_;  // changed in blocks that may or may not run
  // Entries of dicts that were overwritten, as in sample 0.
  struct Entry {
    ir::DatumPtr dict;
    std::shared_ptr<const ir::Constant> key;
  };
  std::vector<Entry> spoiled_entries_;                 // their content is unknown
  std::vector<Entry> uncertain_entries_;               // in blocks that may or may not run
  std::unordered_set<const ir::Node*> open_settings_;  // nodes that changed the dtype or shape of an entry
  bool has_resizes_ = false;
  bool has_never_ = false;          // some list has undefined items
  std::optional<Sharing> sharing_;  // only if the program has writes
  std::vector<const ir::Node*> raised_on_data_;
  std::vector<SampleFailure> failures_inside_;
  const ir::Node* raised_ = nullptr;  // the raise node that ends the last block that always raises
  ir::ValueTable<Sampled> values_;
  ir::ValueSet seen_;
  std::unordered_set<const ir::Node*> sharing_seen_;
};

}  // namespace tonnx::program
