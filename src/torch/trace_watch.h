#pragma once

#include <memory>

#include "torch/trace_memory.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// During its lifetime, the memory of a recording is notified of what other threads compute from its tensors, which no
// tracer sees.
class TraceWatch {
 public:
  explicit TraceWatch(const std::shared_ptr<TraceMemory>& memory);
  ~TraceWatch();
  TraceWatch(const TraceWatch&) = delete;
  TraceWatch& operator=(const TraceWatch&) = delete;

 private:
  const TraceMemory* memory_;
};

}  // namespace tonnx::torch
