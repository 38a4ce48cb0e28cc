#pragma once

#include <atomic>

#include "backend/entry.h"

namespace tonnx::torch {

// The functions of the core, which is the other library. Set before the backend is first used. Null changes nothing.
void set_host(const backend::Host* host) noexcept;

// Called before each operator that the caller's code runs. Blocks for ever if the process is exiting.
void wait_at_exit() noexcept;

// Called before each operator that tonnx runs or imports. Blocks for ever if the process is exiting; throws
// ir::Cancelled if the observer of this thread's call cancels or the call exceeds a limit.
void checkpoint();

// Same, while another thread works for this one: no operator is counted.
void checkpoint_while_waiting();

// True if this thread's call has an observer or limits.
bool is_observed() noexcept;

// The limits of this thread's call.
ir::Limits limits() noexcept;

// Runs part of a call on another thread than that of its observer: checkpoints of this thread throw ir::Cancelled once
// `stop` is true.
class RunsElsewhere {
 public:
  explicit RunsElsewhere(const std::atomic<bool>& stop) noexcept;
  ~RunsElsewhere();
  RunsElsewhere(const RunsElsewhere&) = delete;
  RunsElsewhere& operator=(const RunsElsewhere&) = delete;
};

}  // namespace tonnx::torch
