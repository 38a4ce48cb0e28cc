#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

// What is known of an ONNX value before the model runs.
namespace tonnx::lower {

// The content; null if it is computed.
const ir::Tensor* known_tensor(const ir::Value* value);
// The numbers of an integer tensor, in row-major order.
std::optional<std::vector<std::int64_t>> known_integers(const ir::Value* value);
// The only one.
std::optional<std::int64_t> known_integer(const ir::Value* value);
// The number in a real tensor of one element.
std::optional<double> known_number(const ir::Value* value);
// The same, where what it broadcasts with `x` to has the axes of x and no more.
std::optional<double> known_number_beside(const ir::Value* x, const ir::Value* value);

// Whether integers may be below zero: not what is computed of sizes alone by operators that stay above.
bool may_be_negative(const ir::Value* numbers);

// Whether integers may have more than 32 bits: not what is computed of sizes, places, bools and small numbers alone,
// nor what picks elements of narrower dtypes.
bool may_be_long(const ir::Value* numbers);

// Whether an axis is known to have size 0.
bool is_known_empty(const ir::Value* value);

}  // namespace tonnx::lower
