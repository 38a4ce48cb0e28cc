#pragma once

#include <optional>

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/jit/ir/ir.h>

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

// True if a node is a loop that may run an iteration without an operator of LibTorch's dispatcher, such as
// `while n < m: n += 1`.
bool lacks_checkpoints(const ::torch::jit::Node& node);

// Makes TorchScript's interpreter call checkpoint() at the start of each iteration of a loop.
void add_checkpoint(::torch::jit::Node& loop);

}  // namespace tonnx::torch
