#pragma once

#include <utility>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace tonnx::torch {

// State of the default generators: the host's, and those of accelerators that the process has used. Internal: includes
// LibTorch.
class RandomState {
 public:
  // Saves the current state; of the host alone, or also of accelerators.
  enum class Of { Host, Devices };
  explicit RandomState(Of scope);
  // Restores the saved state.
  void restore() const;

 private:
  std::vector<std::pair<at::Generator, at::Tensor>> states_;
};

// Restores the generators (by default the host's) at the end of its lifetime, so that a run here does not change the
// caller's random numbers.
class KeepRandomState {
 public:
  explicit KeepRandomState(RandomState::Of scope = RandomState::Of::Host) : state_(scope) {}
  ~KeepRandomState() { state_.restore(); }
  KeepRandomState(const KeepRandomState&) = delete;
  KeepRandomState& operator=(const KeepRandomState&) = delete;

 private:
  RandomState state_;
};

}  // namespace tonnx::torch
