#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "program/traces/choose_sizes.h"

namespace tonnx::exporting {

// Chooses sizes over orders of magnitude for code that was run at sizes near its example: powers of two and adjacent
// sizes, up to a bound. One symbol changes at a time and the others keep the example's size; the last run raises all
// symbols together. The cost of a run may be a share of that of the runs so far, or a fixed amount for small programs.
// Cost is measured in results of operators, so that a program is run at the same sizes on every machine; processor time
// has a generous limit as well.
class SpreadSizes {
 public:
  using Sizes = std::vector<std::int64_t>;

  // Cost of a run in bytes written or read: `fixed` does not depend on sizes, `results` does.
  struct Cost {
    double fixed = 0;
    double results = 0;
  };
  // Cost of a recorded run: results of its operators at four bytes per element, its weights, and a constant per
  // operator.
  static Cost cost_of(const ir::Graph& graph);

  // `largest`: limit for each symbol. A symbol whose example is larger gets only smaller sizes.
  explicit SpreadSizes(std::int64_t largest);

  // Records a run at sizes that were chosen elsewhere.
  void ran_near(const Cost& cost);
  // Returns the sizes of the next run; `chosen.runs[0]` is the example. Returns nullopt if no affordable run is left.
  std::optional<Sizes> next(const program::ChosenSizes& chosen);
  // Records the run at these sizes, also if the code does not run at them.
  void ran(const Cost& cost);
  void failed();

 private:
  struct Candidate {
    std::size_t symbol;
    std::int64_t size;
  };

  void plan(const program::ChosenSizes& chosen);
  std::optional<Sizes> next_joint(const program::ChosenSizes& chosen);
  bool is_useful(const Candidate& candidate, const program::ChosenSizes& chosen) const;
  bool is_affordable(const Candidate& candidate, std::size_t symbols) const;
  double expected_results(const Candidate& candidate) const;
  double expected_seconds(const Candidate& candidate) const;

  std::int64_t largest_;
  // Processor time of this thread, in seconds.
  double start_;
  std::optional<double> spread_start_;
  double run_start_ = 0;
  double near_seconds_ = 0;
  double last_seconds_ = 0;
  double spent_before_ = 0;  // for runs near the example
  double spent_ = 0;         // for the other runs
  std::optional<Cost> example_;
  Sizes example_sizes_;
  std::vector<Candidate> candidates_;  // in order; empty before plan()
  std::size_t at_ = 0;
  std::int64_t joint_bound_;                             // no symbol is larger in the next joint run; 0: none is left
  std::vector<std::map<std::int64_t, double>> results_;  // by symbol and size
  std::vector<std::int64_t> low_, high_;                 // by symbol: bounds outside which the code does not run
};

}  // namespace tonnx::exporting
