#pragma once

#include <span>
#include <vector>

#include "lower/op.h"

namespace tonnx::lower {

// A source value that reaches a block boundary by several paths: from the two branches of an If, or before and after a
// loop iteration (a phi). All paths must agree on its ONNX values: a tensor, the parts of a complex tensor, a rank-0
// scalar, a vector of scalars, the items of a list of static length, or a sequence of tensors. A value that is None on
// one path is an ONNX optional; only a model output may be one.
class Crossing {
 public:
  // `value` is the source value after the boundary; `ways` are the values that reach it. Refuses a type that cannot
  // cross, and ways of different dtypes.
  Crossing(const Op& op, const ir::Value* value, std::span<const ir::Value* const> ways);

  // The facts of each ONNX value that hold on all paths.
  const std::vector<ir::Facts>& facts() const { return facts_; }
  std::size_t count() const { return facts_.size(); }
  // Sets type and facts of a fresh block value to those of ONNX value `i`.
  void describe(std::size_t i, Value* fresh) const;

  // Returns one of the ways as ONNX values, built in the builder's current block.
  Values send(const ir::Value* way) const;
  // Returns the value after the boundary.
  Lowered receive(std::span<Value* const> values) const;

 private:
  enum class Form { Nothing, Tensor, Complex, Number, Vector, Items, Sequence };
  void choose(std::span<const ir::Value* const> ways);
  void choose_optional(std::span<const ir::Value* const> ways);
  void choose_list(std::span<const ir::Value* const> ways);
  void choose_tensor(std::span<const ir::Value* const> ways);
  void choose_sequence(ir::Facts item);
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
