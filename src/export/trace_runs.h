#pragma once

#include <memory>
#include <thread>

#include "export/source.h"
#include "ir/constant.h"
#include "torch/recording.h"

namespace tonnx::exporting {

// How a trace is made.
struct TraceOptions {
  // Weights show the caller's memory, which nobody may write to as long as the program or a model of it lives; otherwise
  // they are copied when the run ends.
  bool share_weights = false;
};

// The runs of the caller's LibTorch code that make one program. Construction begins the first run; the caller runs the code
// on run().inputs() and adds what it returns, again for each run that next() begins, then takes the program. One thread: on
// another every call throws Error(Code::Argument), but the end of its life may come there. What throws ends the trace.
class TraceRuns {
 public:
  // Throws Error(Code::Argument) if this thread records already.
  TraceRuns(const ir::Arguments& arguments, const TraceOptions& options);

  // The run in progress. Throws Error(Code::Argument) after the last one.
  torch::Recording& run();
  // Ends the run in progress. True: another has begun, on inputs of its own. Errors are those of Recording::end.
  bool next();
  // The program of all runs; ends the last one if next() was not asked. Its inputs and results are those of the runs,
  // whatever arguments are given later. Throws Error(Code::Argument) the second time.
  std::shared_ptr<const Source> end();

 private:
  void require_thread() const;

  const std::thread::id thread_ = std::this_thread::get_id();
  const TraceOptions options_;
  std::unique_ptr<torch::Recording> run_;  // null: none is in progress
  std::unique_ptr<torch::Traced> traced_;
};

}  // namespace tonnx::exporting
