#pragma once

#include <span>
#include <vector>

#include "lower/op.h"

namespace tonnx::lower {

// A source value that enters or leaves a block by several ways (the results of two branches; what a loop carries), as
// the ONNX values that every way must agree on: a tensor, the parts of a complex one, a number of rank 0, a vector of
// numbers, the items of a list of static length, or a sequence of tensors. What is None by one of them is an ONNX
// optional, which an output of the model alone can be.
class Crossing {
 public:
  // `value` stands for it on the far side; `ways` are the values that reach it. Refuses a type that cannot cross, and
  // ways whose dtypes differ.
  Crossing(const Op& op, const ir::Value* value, std::span<const ir::Value* const> ways);

  // What is known of each ONNX value, whichever way it came.
  const std::vector<ir::Facts>& facts() const { return facts_; }
  std::size_t count() const { return facts_.size(); }
  // Makes a fresh value of a block have the type and facts of ONNX value `i`.
  void describe(std::size_t i, Value* fresh) const;

  // One of the ways as ONNX values, made in the builder's current block.
  Values send(const ir::Value* way) const;
  // What the far side reads.
  Lowered receive(std::span<Value* const> values) const;

 private:
  enum class Form { Nothing, Tensor, Complex, Number, Vector, Items, Sequence };
  void choose(std::span<const ir::Value* const> ways);
  void choose_optional(std::span<const ir::Value* const> ways);
  void choose_list(std::span<const ir::Value* const> ways);
  void choose_tensor(std::span<const ir::Value* const> ways);
  Values send_form(const ir::Value* way) const;
  Value* send_optional(const ir::Value* way) const;
  Value* send_sequence(const ir::Value* way) const;
  Values send_items(const ir::Value* way) const;

  const Op& op_;
  const ir::Value* value_;
  Form form_ = Form::Tensor;
  bool is_optional_ = false;
  std::vector<ir::Facts> facts_;
};

}  // namespace tonnx::lower
