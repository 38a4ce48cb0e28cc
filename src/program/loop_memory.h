#pragma once

#include <cstddef>
#include <functional>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// What a loop's turns make: whether a tensor is new in a turn, and whether nobody but what the loop carries has it
// behind the turn. The graph stays as it is while this is asked.
class LoopMemory {
 public:
  explicit LoopMemory(const ir::Node& loop) : loop_(loop) {}

  // Whether each turn makes the tensor, itself or by a loop in it.
  bool is_new(const ir::Value* value) const { return is_new(value, loop_); }
  // Whether all that a turn does with the tensor that it ends with, or with what that may be, leaves it to those values
  // that the loop carries of which `is_carried` holds.
  bool stays(const ir::Value* end, const std::function<bool(std::size_t)>& is_carried) const;

 private:
  using Names = std::vector<const ir::Value*>;

  static bool is_new(const ir::Value* value, const ir::Node& owner);
  bool add_readers(const ir::Use& use, const std::function<bool(std::size_t)>& is_carried, Names& open) const;

  const ir::Node& loop_;
};

}  // namespace tonnx::program
