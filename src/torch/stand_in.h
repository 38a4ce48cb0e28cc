#pragma once

#include <thread>

#include <c10/core/DispatchKey.h>
#include <torch/library.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// Dispatch key at which tonnx can intercept operators before LibTorch's kernels: above every backend, below autograd
// and the tracer. LibTorch leaves it to other libraries.
constexpr c10::DispatchKey kStandInKey = c10::DispatchKey::Fake;

// Library for kernels of LibTorch's operators at this key; they last for the life of the process. Null if another
// library uses the key.
::torch::Library* stand_in_library();

// During its lifetime, operators of the thread that created it go through these kernels. If another thread frees it,
// they stay enabled, and the kernels themselves must do nothing.
class StandIn {
 public:
  StandIn();
  ~StandIn();
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

 private:
  std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace tonnx::torch
