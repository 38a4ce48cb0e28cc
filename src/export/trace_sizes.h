#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "backend/recording.h"
#include "export/resize.h"
#include "export/spread_sizes.h"
#include "export/trace_edges.h"
#include "export/trace_options.h"
#include "export/trace_values.h"
#include "ir/error.h"
#include "ir/raw_program.h"
#include "ir/state_write.h"
#include "program/traces/choose_sizes.h"
#include "program/traces/unify_traces.h"

namespace tonnx::exporting {

// Result of a trace: one program, and the results of the code for the inputs of each run, the example's first.
struct TracedProgram {
  struct Run {
    std::vector<std::int64_t> sizes;  // by symbol of the axes
    std::vector<ir::Tensor> inputs;
    std::vector<ir::Tensor> outputs;
    bool is_edge = false;  // has a size 0 or 1, where code most often behaves differently
    std::vector<backend::StateValue> state;

    // The outputs, then the values of the state after the run.
    std::vector<ir::Tensor> results(std::span<const ir::StateWrite> writes) const;
  };

  // Smallest and largest size of a symbol at which the code ran and the program computes the same.
  struct Range {
    std::string symbol;
    std::int64_t min = 0;
    std::int64_t max = 0;
  };

  ir::RawProgram program;
  std::vector<InputAxis> axes;
  std::vector<InputAxis> fixed =
      {};  // declared axes along which the code runs at one size only, as the program's warnings say
  std::vector<Run> runs;
  std::vector<Range> ranges;  // empty for a single run
  bool single_run = false;
};

// Chooses the sizes of the declared axes and the values at which the code runs, and merges the runs into one program.
// While done() is false, the caller runs the code on arguments() and passes the result or reports a failure.
class TraceSizes {
 public:
  // Throws Error(Code::Argument) for an axis that does not exist, is declared twice, or shares a symbol with an axis of
  // another size, for negative sizes, and for sizes of a symbol that no axis has; Error(Code::Unsupported) for the
  // channel axis of a quantised tensor.
  TraceSizes(const ir::Arguments& arguments, const TraceOptions& options, RunGraph run_graph);

  bool done() const { return done_; }
  // Arguments of the next run.
  const ir::Arguments& arguments() const { return arguments_; }
  bool is_example() const { return runs_.empty(); }
  // Values of the next run; null if it uses the example's values.
  const TraceValues* values() const { return values_ ? &*values_ : nullptr; }
  // How to sketch the next run: it records operators and sizes, and its results are not used; see
  // backend::Recording::sketch(). nullopt: it computes results.
  std::optional<bool> sketch() const { return sketch_; }
  // Adds the result of a run. Throws the errors of program::unify_traces(), TraceValues::add() and resize(), and
  // Error(Code::Argument) if resize() returned inputs of another count, name, dtype or shape.
  void add(backend::Traced traced);
  // Reports that the code does not run on arguments(); other sizes are chosen. Throws CallbackError(Code::Program) with
  // this cause, which may be null, if no sizes are left, and if the example itself failed.
  void fail(const std::string& reason, std::shared_ptr<void> cause = nullptr);

  // Returns the result, once done.
  TracedProgram take();

 private:
  using Sizes = std::vector<std::int64_t>;

  struct Run {
    Sizes sizes;
    backend::Traced traced;
    bool is_sketch = false;
    bool is_spread = false;  // far from the example; its results are not kept
  };
  struct Failure {
    Sizes sizes;
    std::string reason;
  };

  void plan_sketch();
  void bind_axes();
  void require_fixed_channels() const;
  // Axes of the arguments as those of the recording's inputs; a quantised tensor has three.
  std::vector<InputAxis> graph_axes(std::vector<InputAxis> axes) const;
  void bind_sizes();
  void go_on();
  void advance();
  void restart();
  void fix(std::size_t symbol, const std::string& why);
  void fix_one(const std::string& why);
  void warn_of_fixed();
  void warn_of_failures();
  void finish();
  void begin(Sizes sizes);
  void make_arguments();
  bool begin_spread();
  void check_made() const;
  bool wants_values() const;
  void go_on_with_values();
  void warn_reads(const std::vector<std::string>& reads);
  void warn_pointers();
  void warn_data_sizes(const std::vector<bool>& varied);
  std::string changed_weight(const ir::Graph& graph, bool with_numbers = true) const;
  void check_weights(const ir::Graph& graph);
  void require_same_late_weights(const std::vector<std::string>& late) const;
  std::size_t changed(const Sizes& sizes) const;
  bool blame();
  bool widen_step(std::size_t symbol);
  std::size_t joint_runs() const;
  bool begin_at_edge();
  std::size_t near_runs() const;
  program::TracedRuns traced_runs(bool with_edges = false) const;
  program::UnifiedTrace unified(bool with_edges, bool may_ask) const;
  program::UnifiedTrace solve() const;
  std::optional<ir::Error> fault_at_edges(const ir::Graph& program) const;
  void unify();
  std::string fixed_text() const;
  std::vector<TracedProgram::Range> ranges() const;
  [[noreturn]] void give_up() const;

  RunGraph run_graph_;
  ir::Arguments example_;  // copies, with separate storages
  std::vector<ir::Tensor> inputs_;
  std::vector<std::string> names_;  // names of the inputs
  std::vector<InputAxis> axes_;
  std::vector<std::string> symbols_;
  TraceOptions options_;
  program::ChosenSizes chosen_;
  std::vector<Sizes> asked_;  // sizes still to be run for the caller; 0: any
  std::vector<Sizes> alone_;  // sizes still to be run, each with one changed symbol
  bool tried_alone_ = false;
  std::vector<Sizes> edges_;    // sizes still to be run: each symbol at 1, and at 0 if the caller specified it
  std::vector<Run> edge_runs_;  // their paths are compared, but they do not determine arithmetic
  bool is_edge_ = false;        // for the next run
  SpreadSizes spread_;
  bool is_spread_ = false;               // for the next run
  std::optional<ir::Error> edge_fault_;  // how the arithmetic of the other runs failed there
  std::vector<Run> runs_;
  std::optional<TraceValues> values_;  // set during runs on other values
  std::map<std::string, std::pair<std::vector<std::int64_t>, std::uint64_t>> weights_;  // dims and checksums
  std::vector<std::string> late_weights_;                                               // of the first run
  std::vector<Failure> failures_, edge_failures_;
  std::shared_ptr<void> cause_;               // of the last failure
  std::map<std::string, std::string> fixed_;  // reason by symbol
  std::optional<std::size_t>
      tried_;  // index among the symbols that are not fixed: fixed as a trial, to see whether the others can vary
  std::string why_tried_;
  std::vector<InputAxis> fixed_axes_;
  std::vector<InputAxis> all_axes_;  // including fixed axes
  ir::Arguments arguments_;
  Sizes sizes_;  // of arguments_
  std::optional<bool> sketch_;
  bool sketch_failed_ = false;  // no further run is sketched
  bool is_asked_ = false;       // the sizes were specified by the caller
  bool done_ = false;
};

}  // namespace tonnx::exporting
