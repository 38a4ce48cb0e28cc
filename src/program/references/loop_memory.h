#pragma once

#include <cstddef>
#include <functional>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Properties of tensors in the iterations of a loop: whether a tensor is fresh in an iteration, and whether only
// loop-carried values refer to it after the iteration. The graph must not change while this is used.
class LoopMemory {
 public:
  explicit LoopMemory(const ir::Node& loop) : loop_(loop) {}

  // True if each iteration creates the tensor, itself or in a nested loop.
  bool is_new(const ir::Value* value) const { return is_new(value, loop_); }
  // True if the tensor `end` that an iteration yields, and all its possible origins, escape the iteration only through
  // loop-carried values whose index satisfies `is_carried`.
  bool escapes_only_through(const ir::Value* end, const std::function<bool(std::size_t)>& is_carried) const;

 private:
  using Names = std::vector<const ir::Value*>;

  static bool is_new(const ir::Value* value, const ir::Node& owner);
  bool add_readers(const ir::Use& use, const std::function<bool(std::size_t)>& is_carried, Names& worklist) const;

  const ir::Node& loop_;
};

}  // namespace tonnx::program
