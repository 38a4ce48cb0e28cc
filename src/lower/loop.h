#pragma once

#include <functional>

#include "lower/builder.h"

namespace tonnx::lower {

// What one pass of a loop leaves: whether to go on (null: yes) and the new state.
struct Pass {
  Value* go_on;
  Values state;
};

// onnx::Loop over a state whose dtypes and shapes stay as they begin. Runs `count` times (rank 0, int64; null: until
// `go_on` is false), not at all if `go_on` (rank 0, bool; null: true) is false at the start. `body` gets the number of the
// pass (rank 0, int64) and the state, and builds inside the loop; values from outside are visible there.
Values loop(Builder& b, Value* count, Value* go_on, Values state,
            const std::function<Pass(Value* iteration, const Values& state)>& body);

// onnx::If of one result: what `then` builds where `condition` (rank 0, bool) is true, else what `otherwise` builds. Their
// dtype is one; of their shapes the result has what is equal. Needs opset 11 where that is not all.
Value* either(Builder& b, Value* condition, const std::function<Value*()>& then, const std::function<Value*()>& otherwise);

}  // namespace tonnx::lower
