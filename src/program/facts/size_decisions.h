#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "program/facts/abstract_state.h"
#include "program/facts/lattice.h"
#include "program/facts/thresholds.h"

namespace tonnx::program {

// Notes in `thresholds`, if not null, the comparisons and divisions on which sizes depend.
class SizeDecisions {
 public:
  SizeDecisions(ir::Evaluator& evaluator, const Lattice& lattice, AbstractState& state, Thresholds* thresholds)
      : evaluator_(evaluator), lattice_(lattice), state_(state), thresholds_(thresholds) {}

  // Notes the comparisons that a node depends on if its sizes, scalar or bool are equal in all samples, or fit the
  // symbols: without further samples that would become a fact.
  void note_thresholds(const ir::Node& node, const std::vector<const Sampled*>& inputs,
                       const std::vector<Sampled>& outputs);
  // True if the results of two branches differ, but their join is fixed or fitted to symbols in all samples.
  bool claims_choice(const ir::Value& a, const ir::Value& b, const Sampled& chosen) const;
  // Notes the comparisons that a branch condition depends on.
  void note_condition(const ir::Value& condition);
  // A negative trip count runs no iteration, so it is cut at 0.
  void note_trips(std::vector<double> trips);

 private:
  std::vector<std::vector<double>> operands(const std::vector<const Sampled*>& inputs) const;
  bool is_claimed(const std::optional<std::vector<double>>& sizes) const;
  void note_rounded(const ir::Node& node, std::vector<double> number);
  void note_bits(const ir::Node& node, std::vector<std::vector<double>> numbers);
  void note_steps(const ir::Node& node, const Sampled& result);
  void note_step(const ir::Node& node, const Sampled& result, std::size_t axis, std::size_t result_axis,
                 const Sampled& steps, std::size_t item);
  void note_pieces(const ir::Node& node, const std::vector<const Sampled*>& inputs, const Sampled& pieces);
  void note_cut(const ir::Node& node, const std::vector<const Sampled*>& inputs, const Sampled& part);

  ir::Evaluator& evaluator_;
  const Lattice& lattice_;
  AbstractState& state_;
  Thresholds* thresholds_;
};

}  // namespace tonnx::program
