#pragma once

namespace tonnx::backend {

// A call of the library on this thread, from construction to destruction; may be nested. exit() destroys the static
// objects of LibTorch and ONNX Runtime while other threads still run. So when the process exits, new calls on other
// threads block for ever, running ones at their next checkpoint, and exit() waits until none runs: at most one second,
// and before that, while a library is loaded, at most 30. The thread that called exit() is never blocked: its handlers
// and destructors may use the library.
class RunningCall {
 public:
  RunningCall() noexcept;
  ~RunningCall();
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;
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
