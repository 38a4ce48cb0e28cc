#pragma once

#include <thread>

#include <c10/core/DispatchKey.h>
#include <torch/library.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// Where tonnx stands before LibTorch's kernels: above every backend, below gradients and the tracer. LibTorch leaves it
// to others.
constexpr c10::DispatchKey kStandInKey = c10::DispatchKey::Fake;

// For kernels there, of LibTorch's operators, which stay for the life of the process. Null where another library stands
// there.
::torch::Library* stand_in_library();

// While it lives, the operators of the thread that made it pass by those kernels. Freed by another thread, it leaves
// them there, and the kernels have to know that they are to do nothing.
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
