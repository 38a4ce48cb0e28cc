#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "torch/stand_in.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// During its lifetime, an out-of-range index in a read or write of this thread on an accelerator fails as it does on
// the host. Otherwise the device would stop working for the whole process; recorded code, which is run at other sizes
// and on other values, may well do this. Has no effect if another library uses the dispatch key (stand_in.h). If
// another thread frees it, the guarded thread becomes unguarded.
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
