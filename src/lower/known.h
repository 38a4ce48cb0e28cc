#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

// Facts of ONNX values that are known before run time.
namespace tonnx::lower {

// The constant tensor; null if the value is computed.
const ir::Tensor* known_tensor(const ir::Value* value);
// The elements of a constant integer tensor, in row-major order.
std::optional<std::vector<std::int64_t>> known_integers(const ir::Value* value);
// Its only element.
std::optional<std::int64_t> known_integer(const ir::Value* value);
// The element of a constant real tensor with one element.
std::optional<double> known_number(const ir::Value* value);
// The same, but only if broadcasting it with `x` does not change the rank of x.
std::optional<double> known_number_beside(const ir::Value* x, const ir::Value* value);

// True if integers may be negative. False for values computed only from sizes, by operators that do not produce
// negative numbers.
bool may_be_negative(const ir::Value* numbers);

// True if integers may need more than 32 bits. False for values computed only from sizes, indices, bools and small
// constants, and for selections from narrower dtypes.
bool may_be_long(const ir::Value* numbers);

// True if an axis is known to have size 0.
bool is_known_empty(const ir::Value* value);

}  // namespace tonnx::lower
