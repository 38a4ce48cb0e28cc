#pragma once

#include "ir/observer.h"

namespace tonnx::backend {

class Backend;

// Functions of the core that the backend calls.
struct Host {
  // Never returns if the process is exiting. Called before each operator that the caller's own code runs.
  void (*wait_at_exit)() noexcept;
  // Same; throws ir::Cancelled if the observer of this thread's call cancels, or if the call exceeds a limit.
  void (*checkpoint)();
  // Same, and counts a step. Called before all other operators.
  void (*step)();
  // True if this thread's call has an observer or limits.
  bool (*is_observed)() noexcept;
  // The limits of this thread's call.
  ir::Limits (*limits)() noexcept;
};

// The functions that the second library exports, with the C calling convention: const char* (), which returns its
// build_stamp(); std::uint32_t (), which returns the line of LibTorch that it is built for (line_of()); and Backend*
// (const Host*), which may be called only if both fit. The host outlives the process's use of the backend.
inline constexpr const char* kStampFunction = "tonnx_torch_build_stamp";
inline constexpr const char* kLineFunction = "tonnx_torch_libtorch_line";
inline constexpr const char* kBackendFunction = "tonnx_torch_backend";

// Identifies builds whose shared classes are compatible: "0.1.0-9f2c4e", the version and a digest of the headers of
// src/ir and src/backend.
const char* build_stamp() noexcept;

}  // namespace tonnx::backend
