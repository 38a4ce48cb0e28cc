#pragma once

#include <optional>

#include "lower/op.h"

namespace tonnx::lower {

// A list that a loop does nothing with but put numbers, or tensors of one dtype and shape, at its end, as many in each
// turn: onnx::Loop collects them along a new first axis, and no list goes round.
class CollectedList {
 public:
  // What the prim::Loop under lowering carries at position `k`; nullopt where it is no such list. Refuses one of
  // tensors below opset 11.
  static std::optional<CollectedList> find(const Op& op, std::size_t k);

  std::size_t position() const { return k_; }
  // Inside the loop, before and behind its body: what stands for the list there, and what the turn gives.
  void enter() const;
  Value* leave() const;
  // Behind the loop: all of it, as an ONNX sequence, or, of numbers, as a vector.
  Lowered receive(Value* collected) const;

 private:
  CollectedList(const Op& op, std::size_t k, std::size_t count, DType numbers)
      : op_(&op), k_(k), count_(count), numbers_(numbers) {}

  const Op* op_;
  std::size_t k_;
  std::size_t count_;  // tensors a turn
  DType numbers_;      // of what numbers are; Undefined of tensors
};

}  // namespace tonnx::lower
