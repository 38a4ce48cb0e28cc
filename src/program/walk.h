#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/evaluator.h"
#include "program/facts.h"
#include "program/symbols.h"

namespace tonnx::program {

// One value in all lanes of a walk.
struct Entry {
  std::vector<ir::DatumPtr> lanes;  // empty: unknown
  bool meta = false;                // a tensor without data, or a container of one
  bool tainted = false;             // its value depends on a dynamic size or on tensor data
  bool never = false;               // prim::Uninitialized, or made from it: no run reads it
  bool data = false;                // its value, or a tensor's sizes, depend on tensor data
  std::vector<char> items;          // taint of each item of a list or tuple; empty: `tainted` says it

  bool known() const { return !lanes.empty(); }
};

// Thrown by Walk::run: some lanes failed at a node that lane 0 passed.
struct LaneFailure {
  const ir::Node* node;
  std::vector<std::size_t> lanes;
  std::string message;
};

// Thrown inside a walk: the example sizes leave a loop before this turn.
struct ImpossibleTurn {};

// Thrown by Walk::run: something depends on tensor data and there are no lanes to show what follows from it.
struct NeedsDataLanes {};

// Evaluates a program once in several lanes side by side and leaves the joined facts on its values. Lane 0 has the
// example sizes; every further lane of the table other sizes; then `data_lanes` (0 or 2) lanes of the example sizes in
// which every data-dependent size and number is another one, so that what follows from it differs there.
class Walk {
 public:
  Walk(ir::Graph& graph, ir::Evaluator& evaluator, SymbolTable table, std::size_t data_lanes,
       const std::vector<DynamicAxis>& dynamic, std::span<const ir::Constant> examples,
       const std::unordered_map<const ir::Value*, ir::Facts>& imported);

  void run();

 private:
  bool is_data_lane(std::size_t lane) const { return lane >= lanes_ - data_lanes_; }
  bool run_block(const ir::Block& block);  // false: it always raises
  bool visit(ir::Node& node);
  bool visit_if(ir::Node& node);
  bool visit_loop(ir::Node& node);
  // What differs between the turns of a loop in one carried value.
  struct Change {
    bool form = false;          // its dtype, rank or kind
    bool value = false;         // a number, or small content
    std::vector<bool> dims;
  };
  bool loop_unknown(ir::Node& node, std::vector<Entry> carried, std::int64_t first);
  std::vector<std::vector<Entry>> run_turns(const ir::Block& body, const std::vector<Entry>& carried,
                                            const std::vector<Change>& changes, std::int64_t first);
  void show_change(Entry& entry, const Change& change, const ir::Type& type);
  bool note_changes(std::vector<std::vector<Entry>>& turns, std::vector<Change>& changes);
  void evaluate(ir::Node& node);
  void evaluate_lanes(ir::Node& node, const std::vector<const Entry*>& inputs, std::vector<Entry>& outputs,
                      ir::Evaluator::Outcome& outcome, bool& unknown);
  void set_unknown(ir::Node& node);
  Entry fallback(const ir::Value& value, bool no_rule);
  void taint_outputs(const ir::Node& node, const std::vector<const Entry*>& inputs, std::vector<Entry>& outputs);
  void vary_outputs(const ir::Node& node, const std::vector<const Entry*>& inputs, std::vector<Entry>& outputs);
  std::vector<bool> data_dims(const ir::Node& node, std::size_t output, const std::vector<const Entry*>& inputs,
                              std::size_t rank);
  void note_container_writes(const ir::Node& node, const std::vector<const Entry*>& inputs);
  void forget_uncertain_writes();
  void spoil(Entry& entry) const;
  void note_sharing(ir::Node& node, const Entry& in, const Entry& out);
  void note_layout(ir::Node& node, const Entry& in);
  void forget_written_lists(const ir::Block& block);

  Entry input_entry(std::size_t index, const ir::Value& value);
  Entry constant_entry(const ir::Constant& constant);
  Entry number(std::int64_t value);
  ir::DatumPtr list_of(const std::vector<ir::DatumPtr>& items);
  // Makes the data lanes show other sizes at the given dims.
  void perturb(Entry& entry, const std::vector<bool>& dims);
  void require_data_lanes() const;
  Entry join(const Entry& a, const Entry& b);
  bool same_items(const Entry& a, const Entry& b);

  std::optional<bool> certain(const ir::Value* condition) const;
  // The condition at the example sizes, where data have no part in it.
  std::optional<bool> on_example(const ir::Value* condition) const;
  std::optional<std::int64_t> certain_integer(const ir::Value* value) const;
  ir::Facts facts_of(Entry& entry);
  void record(ir::Value* value, Entry entry);
  const Entry& entry(const ir::Value* value) const;

  ir::Graph& graph_;
  ir::Evaluator& evaluator_;
  SymbolTable table_;
  std::size_t data_lanes_;
  std::size_t lanes_;
  const std::vector<DynamicAxis>& dynamic_;
  std::span<const ir::Constant> examples_;
  const std::unordered_map<const ir::Value*, ir::Facts>& imported_;
  bool has_writes_ = false;
  int uncertain_ = 0;   // depth of blocks that may or may not run
  int turn_depth_ = 0;  // that of a further turn of the innermost loop; 0 in a first turn and outside
  // Lists and dicts that were changed, of lane 0, so that other names of them are met as well.
  struct Spoiled {
    ir::DatumPtr datum;
    bool unknown;  // what it holds is not known; else it depends on what its Entry says
  };
  std::vector<Spoiled> spoiled_;
  std::vector<ir::DatumPtr> uncertain_writes_;  // changed in blocks that may or may not run
  const ir::Node* raised_ = nullptr;  // what the last block that always raises ended with
  std::unordered_map<const ir::Value*, Entry> env_;
  std::unordered_set<const ir::Value*> seen_;
  std::unordered_set<const ir::Node*> sharing_seen_;
};

}  // namespace tonnx::program
