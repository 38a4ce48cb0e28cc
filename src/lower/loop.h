#pragma once

#include <functional>

#include "lower/builder.h"

namespace tonnx::lower {

// Sets the builder's current block during the object's lifetime.
class Inside {
 public:
  Inside(Builder& builder, ir::Block* block) : builder_(builder), before_(builder.enter(block)) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { builder_.enter(before_); }

 private:
  Builder& builder_;
  ir::Block* before_;
};

// Appends an output to a block. A value from outside the block gets an Identity, because ONNX requires block outputs to
// be made in the block.
void add_output(Builder& b, ir::Block* block, Value* value);

// The results of one iteration: whether to go on (null: yes), the new state, and scan outputs. The loop returns each
// scan output after the state, concatenated along a new first axis.
struct Pass {
  Value* go_on;
  Values state;
  Values collected = {};
};

enum class StateFacts {
  Kept,      // the state keeps its initial dtypes and shapes
  Inferred,  // the body declares what is known of the state, and ONNX infers the rest
};

// onnx::Loop over a state. Runs `count` times (rank 0, int64; null: until `go_on` is false), and not at all if `go_on`
// (rank 0, bool; null: true) is false at the start. `body` receives the iteration index (rank 0, int64) and the state,
// and builds inside the loop; outer values are visible there. A loop without results is removed. Below opset 11, where
// ONNX requires a loop-carried value, a loop without state carries a constant.
Values loop(Builder& b, Value* count, Value* go_on, Values state,
            const std::function<Pass(Value* iteration, const Values& state)>& body,
            StateFacts facts = StateFacts::Kept);

// onnx::If with one result: `then` builds it for a true `condition` (rank 0, bool), `otherwise` for a false one. Both
// must have the same dtype. The result's shape is the join of both shapes. Needs opset 11 if the shapes differ.
Value* either(Builder& b, Value* condition, const std::function<Value*()>& then,
              const std::function<Value*()>& otherwise);

}  // namespace tonnx::lower
