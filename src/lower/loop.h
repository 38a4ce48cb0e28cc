#pragma once

#include <functional>

#include "lower/builder.h"

namespace tonnx::lower {

// The builder's block for the time being.
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

// Makes `value` the next output of a block, which must be a value of its own, made by a node of that block.
void give(Builder& b, ir::Block* block, Value* value);

// What one pass of a loop leaves: whether to go on (null: yes), the new state, and what is collected: of each such
// value those of all passes follow the state in the loop's results, one behind the other along a new first axis.
struct Pass {
  Value* go_on;
  Values state;
  Values collected = {};
};

enum class StateFacts {
  Kept,      // dtypes and shapes of the state stay as they begin
  Inferred,  // the body says what it knows of the state, and ONNX infers the rest
};

// onnx::Loop over a state. Runs `count` times (rank 0, int64; null: until `go_on` is false), not at all if `go_on`
// (rank 0, bool; null: true) is false at the start. `body` gets the number of the pass (rank 0, int64) and the state,
// and builds inside the loop; values from outside are visible there. Nothing is left of a loop without a result.
Values loop(Builder& b, Value* count, Value* go_on, Values state,
            const std::function<Pass(Value* iteration, const Values& state)>& body,
            StateFacts facts = StateFacts::Kept);

// onnx::If of one result: what `then` builds where `condition` (rank 0, bool) is true, else what `otherwise` builds.
// Their dtype is one; of their shapes the result has what is equal. Needs opset 11 where that is not all.
Value* either(Builder& b, Value* condition, const std::function<Value*()>& then,
              const std::function<Value*()>& otherwise);

}  // namespace tonnx::lower
