#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "program/facts/abstract_state.h"
#include "program/facts/heap.h"
#include "program/facts/inferred_facts.h"
#include "program/facts/lattice.h"
#include "program/facts/list_items.h"
#include "program/facts/sampler.h"
#include "program/facts/size_decisions.h"

namespace tonnx::program {

// Evaluates a program once at several samples side by side, and joins the facts of its values.
class Interpreter {
 public:
  // `imported`: the facts of the values before the first inference. Notes comparisons that decide on sizes in
  // `thresholds`, if not null. For the samples see Lattice.
  Interpreter(const ir::Graph& graph, ir::Evaluator& evaluator, SymbolTable table, std::size_t data_samples,
              const std::vector<InputAxis>& open, std::span<const ir::Constant> examples,
              const ir::ValueTable<ir::Facts>& imported, Thresholds* thresholds);

  // Throws SampleFailure, and NeedsDataSamples.
  InferredFacts run();
  // What run() has found out, also if it has thrown, and the node at which it did; null before the first node.
  const InferredFacts& found() const { return state_.found; }
  const ir::Node* last() const { return last_; }
  // After run(): the undefined values that the program returns, or reads outside of branches and loops.
  std::set<const ir::Value*> needed_undefined() const;
  // The raise nodes reached depending on tensor data, in the order in which they were found.
  const std::vector<const ir::Node*>& raised_on_data() const { return raised_on_data_; }
  // Nodes in branches and loops that fail in samples whose sizes may reach them.
  const std::vector<SampleFailure>& failures_inside() const { return state_.failures_inside; }

 private:
  using Iterations = std::vector<std::vector<Sampled>>;  // loop-carried values before each iteration and after the last

  void note_unreached();
  void note_ranks();
  void note_item_counts();
  std::int64_t returned_count(const ir::Value& list) const;
  bool run_block(const ir::Block& block);
  bool run_uncertain(const ir::Block& block);
  std::pair<bool, const ir::Node*> run_branch(const ir::Node& node, std::size_t side);
  std::pair<bool, const ir::Node*> run_branch(const ir::Block& block);
  bool visit(const ir::Node& node);
  void note_raise(const ir::Node& node, bool alive, const ir::Node& raise);
  bool visit_if(const ir::Node& node);
  bool knows_tensors(const ir::Node& node) const;
  void set_unknown(const ir::Node& node, bool no_rule = false);
  void record_any_number(const ir::Node& node);
  bool reads_undefined(const ir::Node& node) const;
  const Sampled& operand(const ir::Node& node, std::size_t i, std::list<Sampled>& temporaries);
  void mark_undefined(std::vector<Sampled>& outputs) const;
  void evaluate(const ir::Node& node);
  bool visit_loop(const ir::Node& node);
  bool never_enters(const ir::Node& loop, std::size_t sample) const;
  Iterations run_iterations(const ir::Node& loop, const std::vector<Sampled>& carried,
                            const std::vector<CarriedChange>& changes, std::int64_t first);
  bool note_changes(const ir::Node& loop, Iterations& iterations, std::vector<CarriedChange>& changes);
  bool loop_unknown(const ir::Node& node, std::vector<Sampled> carried, std::int64_t first);
  Iterations iterations_at_fixpoint(const ir::Node& loop, std::vector<Sampled> carried,
                                    std::vector<CarriedChange>& changes, std::int64_t first);
  Sampled value_after_loop(std::vector<Sampled> iterations, const CarriedChange& change, const ir::Type& type);
  bool begin_with_reached(std::vector<Sampled>& carried, const std::vector<std::vector<Sampled>>& iterations) const;
  std::optional<std::vector<std::size_t>> trips_by_size(const ir::Node& loop);
  std::optional<std::vector<ir::DatumPtr>> appended(const ir::Datum& before_loop, const ir::Datum& after,
                                                    std::size_t shown, std::size_t trips);
  std::optional<Sampled> grown_by_size(const ir::Node& loop, std::size_t k, const Sampled& before_loop,
                                       const Sampled& after, std::size_t shown, const CarriedChange& change);
  bool returns_fixed_count(const ir::Node& node, const std::vector<const Sampled*>& inputs) const;
  bool returns_fixed_form(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  void mark_varying(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);

  const ir::Graph& graph_;
  ir::Evaluator& evaluator_;
  const std::vector<InputAxis>& open_;
  const bool has_writes_;
  Lattice lattice_;
  AbstractState state_;
  Heap heap_;
  Sampler sampler_;
  ListItems lists_;
  SizeDecisions decisions_;
  const std::size_t count_, data_count_;  // all samples; data samples
  std::vector<const ir::Node*> raised_on_data_;
  const ir::Node* last_ = nullptr;    // the node visited last
  const ir::Node* raised_ = nullptr;  // the raise node that ends the last block that always raises
};

}  // namespace tonnx::program
