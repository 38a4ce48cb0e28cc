#pragma once

#include <optional>

#include "lower/op.h"

namespace tonnx::lower {

// A list to which a loop only appends: scalars, or tensors of one dtype and shape, the same count in each iteration.
// onnx::Loop collects them as scan outputs along a new first axis; the list is not loop-carried.
class CollectedList {
 public:
  // The list that the prim::Loop under lowering carries at position `k`; nullopt if it is not of this form. Refuses
  // lists of tensors below opset 11.
  static std::optional<CollectedList> find(const Op& op, std::size_t k);

  std::size_t position() const { return k_; }
  // Inside the loop: enter() binds the list before the body is lowered; leave(), after it, returns what the iteration
  // appends.
  void enter() const;
  Value* leave() const;
  // After the loop: the whole list, as an ONNX sequence of tensors or a vector of scalars.
  Lowered receive(Value* collected) const;

 private:
  CollectedList(const Op& op, std::size_t k, std::size_t count, DType numbers)
      : op_(&op), k_(k), count_(count), numbers_(numbers) {}

  const Op* op_;
  std::size_t k_;
  std::size_t count_;  // tensors per iteration
  DType numbers_;      // the dtype of scalars; Undefined for tensors
};

}  // namespace tonnx::lower
