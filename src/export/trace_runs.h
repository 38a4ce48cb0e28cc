#pragma once

#include <memory>
#include <string>
#include <thread>

#include "backend/recording.h"
#include "export/loaded_program.h"
#include "export/trace_options.h"
#include "export/trace_sizes.h"
#include "ir/constant.h"

namespace tonnx::exporting {

// The runs of the caller's LibTorch code that make one program. Construction begins the first run; the caller runs the
// code on run().inputs() and adds what it returns, again for each run that next() or fail() begins, then takes the
// program. One thread: on another every call throws Error(Code::Argument), but the end of its life may come there. What
// throws ends the trace.
class TraceRuns {
 public:
  // Throws Error(Code::Argument) if this thread records already, and what TraceSizes does.
  TraceRuns(const ir::Arguments& arguments, const TraceOptions& options);

  // The run in progress. Throws Error(Code::Argument) after the last one.
  backend::Recording& run();
  // The first run, at the sizes of the example, is in progress.
  bool is_example() const { return sizes_.is_example(); }
  // Ends the run in progress. True: another has begun, on inputs of its own. Errors are those of Recording::end and
  // TraceSizes::add.
  bool next();
  // Drops the run in progress, for the code does not run at its sizes. Returns and throws as next() and
  // TraceSizes::fail do.
  bool fail(const std::string& reason);
  // The program of all runs; ends the last one if next() was not asked. Its inputs and results are those of the runs,
  // whatever arguments are given later. Throws Error(Code::Argument) the second time, and where the code must run
  // again.
  std::shared_ptr<const LoadedProgram> end();

 private:
  void require_thread() const;
  bool begin_next();

  const std::thread::id thread_ = std::this_thread::get_id();
  const bool share_weights_;
  const bool replay_;
  TraceSizes sizes_;
  std::unique_ptr<backend::Recording> run_;  // null: none is in progress
  bool taken_ = false;
};

}  // namespace tonnx::exporting
