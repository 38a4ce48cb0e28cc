#pragma once

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace tonnx::torch {

// Puts the process's CPU generator back to where it was, so that a run here draws nothing from the caller's numbers.
// Internal: includes LibTorch.
class KeepRandomState {
 public:
  KeepRandomState() : generator_(at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard<std::mutex> lock(generator_.mutex());
    saved_ = generator_.clone();
  }
  ~KeepRandomState() {
    const std::lock_guard<std::mutex> lock(generator_.mutex());
    generator_.set_state(saved_.get_state());
  }
  KeepRandomState(const KeepRandomState&) = delete;
  KeepRandomState& operator=(const KeepRandomState&) = delete;

 private:
  at::Generator generator_;
  at::Generator saved_;
};

}  // namespace tonnx::torch
