#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/evaluator.h"
#include "ir/facts_view.h"
#include "program/facts/inferred_facts.h"
#include "program/facts/lattice.h"

namespace tonnx::program {

// Thrown by an inference: a node failed in some samples, but not in sample 0.
struct SampleFailure {
  const ir::Node* node;
  std::vector<std::size_t> samples;
  std::string message;
};

// Thrown inside an inference: the example sizes leave the loop, or skip a branch in it, before this iteration.
struct ImpossibleIteration {};

// The abstract values and facts found so far, and where the interpreter is.
class AbstractState {
 public:
  AbstractState(const Lattice& lattice, ir::Evaluator& evaluator, const ir::ValueTable<ir::Facts>& before_inference)
      : imported(before_inference), unreached(lattice.count(), false), lattice_(lattice), evaluator_(evaluator) {}
  AbstractState(const AbstractState&) = delete;
  AbstractState& operator=(const AbstractState&) = delete;

  // Restores `unreached` after a branch or an iteration.
  class Reach {
   public:
    explicit Reach(AbstractState& state) : state_(state), before_(state.unreached) {}
    Reach(const Reach&) = delete;
    Reach& operator=(const Reach&) = delete;
    ~Reach() { state_.unreached = std::move(before_); }

   private:
    AbstractState& state_;
    std::vector<bool> before_;
  };

  // The abstract value; unknown if none was recorded.
  const Sampled& of(const ir::Value* value) const;
  // Sets the abstract value, and joins its facts with those of earlier visits.
  void record(const ir::Value* value, Sampled sampled);
  // The condition or integer if it is the same in every run.
  std::optional<bool> certain(const ir::Value* condition) const;
  // The condition at the example sizes. Empty if it depends on data.
  std::optional<bool> on_example(const ir::Value* condition) const;
  std::optional<std::int64_t> certain_integer(const ir::Value* condition) const;
  // Returns, by sample, whether it takes the first branch. Empty if the condition is unknown in a sample.
  std::vector<bool> taken_in_samples(const ir::Value* condition) const;
  // Notes a sample at which a node fails and whose sizes may reach it. In a loop only the first iteration counts.
  void note_inside(const ir::Node& node, std::size_t sample, const std::string& message);
  // The dims of a tensor in the current iteration: its facts, or those of its abstract value if iterations differ in
  // rank.
  std::optional<std::vector<ir::Dim>> dims_now(const ir::Value* tensor);
  // The number or bool that a known value is in a sample. Empty if it is another, or its content is unknown.
  template <class Number>
  std::optional<Number> constant_in(const Sampled& sampled, std::size_t sample) const {
    const ir::Facts facts = evaluator_.describe(*sampled.samples[sample]);
    const Number* value = facts.constant ? facts.constant->get<Number>() : nullptr;
    return value ? std::optional(*value) : std::nullopt;
  }
  bool is_recorded(const ir::Value& value) const { return seen_.contains(value); }

  const ir::ValueTable<ir::Facts>& imported;  // the facts before the first inference
  ir::ValueTable<Sampled> values;
  InferredFacts found;
  const ir::FactsView known{found.values};
  int uncertain = 0;                           // depth of blocks that may or may not run
  int iteration_depth = 0;                     // `uncertain` in the iteration of the innermost loop
  bool further_iteration = false;              // inside an iteration after the first one, of any loop
  std::vector<bool> unreached;                 // by sample: its sizes do not reach the visited nodes
  std::vector<SampleFailure> failures_inside;  // nodes in branches and loops that fail at sizes that may reach them

 private:
  const Lattice& lattice_;
  ir::Evaluator& evaluator_;
  ir::ValueSet seen_;
};

}  // namespace tonnx::program
