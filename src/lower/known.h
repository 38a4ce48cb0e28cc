#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

// Facts of ONNX values that are known before run time.
namespace tonnx::lower {

// The constant tensor; null if the value is computed.
const ir::Tensor* known_tensor(const ir::Value* value);
// The same, or a weight, unless a run may have other weights (`weights_change`).
const ir::Tensor* known_content(const ir::Value* value, bool weights_change);
// The elements of a constant integer tensor, in row-major order.
std::optional<std::vector<std::int64_t>> known_integers(const ir::Value* value);
// Its only element.
std::optional<std::int64_t> known_integer(const ir::Value* value);
// The element of a constant real tensor with one element.
std::optional<double> known_number(const ir::Value* value);
// The same, but only if broadcasting it with `x` does not change the rank of x.
std::optional<double> known_number_beside(const ir::Value* x, const ir::Value* value);

// True if numbers may be negative. False if the operators that compute them exclude it: of sizes, of indices that an
// operator returns, of constants, and by bounds (`x.clamp(min=0)`, `x % 7`). Sums and products of large integers wrap
// around, so they may be negative. `weights_change`: a run may have other weights than the example.
bool may_be_negative(const ir::Value* numbers, bool weights_change = false);

// True if each of these integers is an element of an input of the graph, or a constant that is not negative: selected,
// moved or converted from integers. `weights_change`: weights are inputs.
bool are_elements_of_inputs(const ir::Graph& graph, const ir::Value* integers, bool weights_change = false);

// True if integers may need more than 32 bits. False for values computed only from sizes, indices, bools and small
// constants, and for selections from narrower dtypes.
bool may_be_long(const ir::Value* numbers);

// True if an axis is known to have size 0.
bool is_known_empty(const ir::Value* value);

}  // namespace tonnx::lower
