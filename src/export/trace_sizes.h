#pragma once

#include <cstdint>
#include <map>
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
#include "program/choose_sizes.h"
#include "program/unify_traces.h"

namespace tonnx::exporting {

// What a trace makes: one program, and what the code gave for the inputs of each run, the example's first.
struct TracedProgram {
  struct Run {
    std::vector<std::int64_t> sizes;  // by symbol of the axes
    std::vector<ir::Tensor> inputs;
    std::vector<ir::Tensor> outputs;
    bool is_edge = false;  // of size 0 or 1, where code most likely does something else
    std::vector<backend::StateValue> state;

    // The outputs, then what the state held after the run.
    std::vector<ir::Tensor> results(std::span<const ir::StateWrite> writes) const;
  };

  // The smallest and the largest size of a symbol at which the code ran and the program does the same.
  struct Range {
    std::string symbol;
    std::int64_t min = 0;
    std::int64_t max = 0;
  };

  ir::RawProgram program;
  std::vector<InputAxis> axes;
  std::vector<InputAxis> fixed =
      {};  // told axes along which the code runs at one size only, as the program's warnings say
  std::vector<Run> runs;
  std::vector<Range> ranges;  // empty for a single run
  bool single_run = false;
};

// Decides at which sizes of the told axes, and on which values, the code runs, and makes one program of the runs. The
// caller runs the code on arguments() and gives the result, or says that it failed, as long as done() is false.
class TraceSizes {
 public:
  // Throws Error(Code::Argument) for an axis that is not there, is told twice, or shares a symbol with one of another
  // size, and for sizes below 0 or of a symbol no axis has.
  TraceSizes(const ir::Arguments& arguments, const TraceOptions& options, RunGraph run_graph);

  bool done() const { return done_; }
  // For the run to come.
  const ir::Arguments& arguments() const { return arguments_; }
  bool is_example() const { return runs_.empty(); }
  // Of the run to come; null where it is on the example's values.
  const TraceValues* values() const { return values_ ? &*values_ : nullptr; }
  // Of the run to come: it shows which operators run, on which sizes, and its results are of no use; see
  // backend::Recording::sketch(). None: it computes.
  std::optional<bool> sketch() const { return sketch_; }
  // Throws what program::unify_traces(), TraceValues::add() and resize() throw, and Error(Code::Argument) for inputs
  // that resize() has made of another count, name, dtype or shape.
  void add(backend::Traced traced);
  // The code does not run on arguments(): other sizes are chosen. Throws Error(Code::Program) where none are left, and,
  // for the example, for all who ask.
  void fail(const std::string& reason);

  // Once done.
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
  void tell_reads();
  void tell_data_sizes(const std::vector<bool>& varied);
  std::string changed_weight(const ir::Graph& graph, bool with_numbers = true) const;
  void check_weights(const ir::Graph& graph);
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
  ir::Arguments example_;  // told apart
  std::vector<ir::Tensor> inputs_;
  std::vector<std::string> names_;  // of the inputs
  std::vector<InputAxis> axes_;
  std::vector<std::string> symbols_;
  TraceOptions options_;
  program::ChosenSizes chosen_;
  std::vector<Sizes> asked_;  // still to run for the caller, 0: any
  std::vector<Sizes> alone_;  // still to run, one symbol changed in each
  bool told_alone_ = false;
  std::vector<Sizes> edges_;    // still to run: each symbol at 1, and where the caller asked for it at 0
  std::vector<Run> edge_runs_;  // they show a path, and no arithmetic
  bool is_edge_ = false;        // that is the run to come
  SpreadSizes spread_;
  bool is_spread_ = false;               // the run to come is one of these
  std::optional<ir::Error> edge_fault_;  // what was wrong there with the arithmetic of the other runs
  std::vector<Run> runs_;
  std::optional<TraceValues> values_;  // while runs on other values are going on
  std::map<std::string, std::pair<std::vector<std::int64_t>, std::uint64_t>> weights_;  // dims and checksums
  std::vector<Failure> failures_, edge_failures_;
  std::map<std::string, std::string> fixed_;  // why, by symbol
  std::optional<std::size_t>
      tried_;  // among the symbols that are not: this one is fixed to see whether the others are free
  std::string why_tried_;
  std::vector<InputAxis> fixed_axes_;
  std::vector<InputAxis> all_axes_;  // those that are fixed among them
  ir::Arguments arguments_;
  Sizes sizes_;  // of arguments_
  std::optional<bool> sketch_;
  bool sketch_failed_ = false;  // so no further run is one
  bool is_asked_ = false;       // the sizes are the caller's
  bool done_ = false;
};

}  // namespace tonnx::exporting
