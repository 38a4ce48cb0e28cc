#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "program/choose_sizes.h"

namespace tonnx::exporting {

// Chooses sizes over orders of magnitude for code that was run at sizes near its example: powers of two and numbers
// beside them, up to a bound. One symbol changes, the others keep the example's size. A run may cost a share of the
// runs so far, and a run of a small program a fixed amount. The cost is that of the operators' results, so that a
// program is run at the same sizes on every machine; processor time is limited generously beside it.
class SpreadSizes {
 public:
  using Sizes = std::vector<std::int64_t>;

  // What a run costs in bytes that are written or read: `fixed` whatever its sizes, `results` by sizes.
  struct Cost {
    double fixed = 0;
    double results = 0;
  };
  // Of a recorded run: what its operators write at four bytes an element, its weights, and a constant per operator.
  static Cost cost_of(const ir::Graph& graph);

  // `largest`: of each symbol. A symbol whose example is larger gets sizes below its example alone.
  explicit SpreadSizes(std::int64_t largest);

  // A run at sizes that were chosen elsewhere.
  void ran_near(const Cost& cost);
  // The sizes of the next run, `chosen.runs[0]` being the example; nothing where no run is left that may be made.
  std::optional<Sizes> next(const program::ChosenSizes& chosen);
  // The run at these sizes was made, or the code does not run at them.
  void ran(const Cost& cost);
  void failed();

 private:
  struct Candidate {
    std::size_t symbol;
    std::int64_t size;
  };

  void plan(const program::ChosenSizes& chosen);
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
  double spent_before_ = 0;  // on runs near the example
  double spent_ = 0;         // on the others
  std::optional<Cost> example_;
  Sizes example_sizes_;
  std::vector<Candidate> candidates_;  // in order; empty before plan()
  std::size_t at_ = 0;
  std::vector<std::map<std::int64_t, double>> results_;  // by symbol and size
  std::vector<std::int64_t> low_, high_;                 // by symbol: where the code does not run
};

}  // namespace tonnx::exporting
