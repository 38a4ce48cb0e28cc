#pragma once

#include <utility>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace tonnx::torch {

// Where the generators stand that operators use without one of their own: the host's, and those of accelerators that
// the process has used. Internal: includes LibTorch.
class RandomState {
 public:
  // As they are now; of the host alone, or of accelerators as well.
  enum class Of { Host, Devices };
  explicit RandomState(Of which);
  // Puts them back to where they were.
  void restore() const;

 private:
  std::vector<std::pair<at::Generator, at::Tensor>> states_;
};

// Puts generators, the host's unless told otherwise, back to where they were, so that a run here draws nothing from the
// caller's numbers.
class KeepRandomState {
 public:
  explicit KeepRandomState(RandomState::Of which = RandomState::Of::Host) : state_(which) {}
  ~KeepRandomState() { state_.restore(); }
  KeepRandomState(const KeepRandomState&) = delete;
  KeepRandomState& operator=(const KeepRandomState&) = delete;

 private:
  RandomState state_;
};

}  // namespace tonnx::torch
