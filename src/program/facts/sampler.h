#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "program/facts/abstract_state.h"
#include "program/facts/lattice.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// Evaluates inputs and nodes in all samples.
class Sampler {
 public:
  Sampler(ir::Evaluator& evaluator, const Lattice& lattice, AbstractState& state, const std::vector<InputAxis>& open,
          std::span<const ir::Constant> examples, bool has_writes)
      : evaluator_(evaluator),
        lattice_(lattice),
        state_(state),
        open_(open),
        examples_(examples),
        count_(lattice.count()),
        data_count_(lattice.data_count()),
        has_writes_(has_writes) {}

  // The abstract value of an input of the program.
  Sampled input_samples(std::size_t index, const ir::Value& value);
  // The abstract value of a result that cannot be evaluated, from the importer's facts.
  Sampled imported_samples(const ir::Value& value);
  // Evaluates a node in all samples. Sets `unknown` if no facts of the results were found. Throws SampleFailure if
  // the node fails at sizes that no branch excludes, and ImpossibleIteration.
  void evaluate_samples(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs,
                        ir::Evaluator::Outcome& outcome, bool& unknown);
  // The result of a split with unknown piece sizes: the number and the sizes of the pieces differ in the data samples.
  Sampled pieces_of_any_size(const ir::Node& node);
  // Returns facts that hold in every run, for the results of a node that fails or cannot be evaluated in some samples.
  std::vector<ir::Facts> known_facts(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  // Sets the results to what known_facts() returns. Returns false if one lacks dtype or rank.
  bool set_known(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  // Returns the dtype of each tensor result for arguments of unknown rank: the one that the node has at every rank at
  // which it runs, or Undefined.
  std::vector<ir::DType> dtypes_at_any_rank(const ir::Node& node);
  // Varies the dims of the results that differ for other values of the data-dependent arguments.
  void vary_what_data_decide(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                             std::vector<Sampled>& outputs);
  // Varies results that depend on tensor data.
  void vary_outputs(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::vector<Sampled>& outputs);
  // Opens the rank of a squeezed tensor: one data sample keeps the axes, another drops them.
  void open_rank(Sampled& squeezed, const Sampled& in, const std::vector<std::size_t>& axes);

 private:
  using Variants = std::vector<std::vector<ir::DatumPtr>>;  // arguments in which one number or size is another
  class OtherSizes;

  Sampled list_samples(std::size_t index, const ir::Value& value);
  void check_rules(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::size_t sample,
                   const ir::Datum& result);
  bool may_have_other_rank(const ir::Node& node) const;
  bool lacks_tensors(const ir::Node& node, const std::vector<ir::DatumPtr>& arguments);
  bool evaluate_otherwise(const ir::Node& node, const std::vector<const Sampled*>& inputs, std::size_t sample,
                          std::vector<ir::DatumPtr>& results);
  bool set_chosen(const ir::Node& node, std::vector<std::vector<ir::DatumPtr>>& results,
                  const std::vector<std::size_t>& failed);
  void copy_other_results(std::vector<std::vector<ir::DatumPtr>>& results, const std::vector<std::size_t>& failed);
  bool set_facts(const ir::Node& node, std::span<const ir::Facts> known, std::vector<Sampled>& outputs);
  bool runs_at_other_sizes(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                           std::vector<Sampled>& outputs);
  bool set_broadcast_items(const ir::Node& node, Sampled& list);
  void vary_failed(const ir::Node& node, const ir::Facts& known, Sampled& out, const std::vector<std::size_t>& failed);
  void vary_failed_items(const ir::Node& node, Sampled& out);
  bool reshape_as_spelled(const ir::Node& node, std::vector<Sampled>& outputs);
  std::vector<ir::Facts> facts_at_other_sizes(const ir::Node& node, const std::vector<const Sampled*>& inputs);
  std::optional<std::vector<ir::DatumPtr>> results_on(const ir::Node& node, const std::vector<ir::DatumPtr>& arguments);
  std::optional<std::vector<std::vector<std::int64_t>>> result_sizes(const ir::Node& node,
                                                                     const std::vector<ir::DatumPtr>& arguments);
  std::vector<std::vector<ir::DatumPtr>> other_numbers(const std::vector<ir::DatumPtr>& arguments, std::size_t index,
                                                       const Sampled& in, std::size_t item);
  std::vector<std::vector<ir::DatumPtr>> other_sizes(const std::vector<ir::DatumPtr>& arguments, std::size_t index,
                                                     const Sampled& in);
  std::vector<Variants> other_arguments(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                                        const std::vector<ir::DatumPtr>& arguments, bool with_sizes = true);
  std::optional<std::vector<std::vector<std::int64_t>>> item_sizes(const ir::Node& node,
                                                                   const std::vector<ir::DatumPtr>& arguments);
  std::optional<std::vector<std::vector<std::int64_t>>> sizes_in(const ir::Datum& list) const;
  void open_items(const ir::Node& node, const std::vector<Variants>& changes,
                  const std::vector<ir::DatumPtr>& arguments, Sampled& output);
  bool note_sensitive(const ir::Node& node, const std::vector<Variants>& changes,
                      const std::vector<ir::DatumPtr>& arguments, std::vector<std::vector<bool>>& open);
  std::vector<bool> data_dims(const ir::Node& node, std::size_t output, const std::vector<const Sampled*>& inputs,
                              std::size_t rank);

  ir::Evaluator& evaluator_;
  const Lattice& lattice_;
  AbstractState& state_;
  const std::vector<InputAxis>& open_;
  std::span<const ir::Constant> examples_;
  const std::size_t count_, data_count_;
  const bool has_writes_;
  ir::ValueTable<ir::Facts> rule_arguments_;  // in the sample that check_rules() has checked last
};

}  // namespace tonnx::program
