#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "torch/stand_in.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// While it lives, what this thread reads and writes at indices on an accelerator fails as it does on the host where one
// lies outside: there, the device would stop working for the whole process. A recorded code runs at other sizes and on
// other values, and may well do so. Of no effect where LibTorch does not let tonnx stand in front. Freed by another
// thread, it leaves the first one free.
class IndexGuard {
 public:
  IndexGuard();
  ~IndexGuard();
  IndexGuard(const IndexGuard&) = delete;
  IndexGuard& operator=(const IndexGuard&) = delete;

 private:
  std::shared_ptr<std::atomic<bool>> goes_on_;
  std::optional<StandIn> stands_;
};

}  // namespace tonnx::torch
