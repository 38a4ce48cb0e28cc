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

// The runs of the caller's LibTorch code that form one program. The constructor begins the first run. The caller runs
// the code on run().inputs() and adds its results, again for each run that next() or fail() begins, and then takes the
// program. Bound to one thread: on another thread every call throws Error(Code::Argument), except the destructor. Any
// exception ends the trace.
class TraceRuns {
 public:
  // Throws Error(Code::Argument) if this thread is already recording, and the errors of TraceSizes.
  TraceRuns(const ir::Arguments& arguments, const TraceOptions& options);

  // The run in progress. Throws Error(Code::Argument) after the last one.
  backend::Recording& run();
  // True during the first run, at the sizes of the example.
  bool is_example() const { return sizes_.is_example(); }
  // Ends the run in progress. Returns true if another one has begun, with its own inputs. Throws the errors of
  // Recording::end and TraceSizes::add.
  bool next();
  // Drops the run in progress, since the code does not run at its sizes. Returns like next(); throws the errors of
  // TraceSizes::fail.
  bool fail(const std::string& reason, std::shared_ptr<void> cause = nullptr);
  // Returns the program of all runs; ends the last run if next() was not called. The program uses the inputs and
  // results of the runs, whatever arguments are passed later. Throws Error(Code::Argument) if called twice, and if the
  // code must run again.
  std::shared_ptr<const LoadedProgram> end();
  // Drops the run in progress and ends the trace.
  void stop();

 private:
  void require_thread() const;
  bool begin_next();

  const std::thread::id thread_ = std::this_thread::get_id();
  const bool share_weights_;
  const bool replay_;
  TraceSizes sizes_;
  std::unique_ptr<backend::Recording> run_;  // null if no run is in progress
  bool taken_ = false;
};

}  // namespace tonnx::exporting
