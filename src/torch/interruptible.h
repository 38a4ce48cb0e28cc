#pragma once

#include <optional>

#include <c10/core/impl/LocalDispatchKeySet.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// During its lifetime, operators that LibTorch's interpreter runs on this thread call checkpoint() first, if the call
// has an observer. Has no effect if another library uses the dispatch key, DeferredInit, which LibTorch leaves to other
// libraries.
class Interruptible {
 public:
  Interruptible();

 private:
  std::optional<c10::impl::IncludeDispatchKeyGuard> included_;
};

}  // namespace tonnx::torch
