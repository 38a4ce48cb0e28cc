#pragma once

#include <atomic>
#include <memory>

namespace tonnx::backend {

// A call of the library on this thread, from construction to destruction; may be nested. exit() destroys the static
// objects of LibTorch and ONNX Runtime while other threads still run. So when the process exits, new calls on other
// threads block for ever, running ones at their next checkpoint, and exit() waits until none runs: at most one second,
// and before that, while a library is loaded, at most 30. The thread that called exit() is never blocked: its handlers
// and destructors may use the library, but not begin a trace.
class RunningCall {
 public:
  RunningCall() noexcept;
  ~RunningCall();
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;
};

// A trace of the thread that constructs this object. exit() waits for it as for a running call: between calls of the
// library the caller's own code runs operators of LibTorch, and each operator is a checkpoint. Ends when it is
// destroyed, on any thread, or when its thread ends. Throws Error(Code::Argument) if its thread is ending.
class RunningTrace {
 public:
  RunningTrace();
  ~RunningTrace();
  RunningTrace(const RunningTrace&) = delete;
  RunningTrace& operator=(const RunningTrace&) = delete;

 private:
  const std::shared_ptr<std::atomic<int>> count_;  // running traces of the thread
  const unsigned process_;
};

// The time in which this thread loads a library, whose static objects must not be made while others are destroyed.
class Loading {
 public:
  Loading() noexcept;
  ~Loading();
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;
};

// Blocks this thread for ever if the process is exiting. Called where a call is about to enter LibTorch.
void wait_at_exit() noexcept;
// Same, and an ir::checkpoint(): throws ir::Cancelled.
void checkpoint();
// Same, and an ir::count_step().
void step();

}  // namespace tonnx::backend
