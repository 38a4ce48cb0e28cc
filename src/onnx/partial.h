#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace tonnx::onnx {

// One element of an integer tensor: known, a named size, or neither.
struct Element {
  std::optional<std::int64_t> value;
  ir::Dim size;  // unknown if there is a value, or nothing is known
};

// The elements of an integer scalar or vector as far as constants and the sizes of other values tell them: looks back
// through Shape, Gather, Slice, Concat, Cast, arithmetic and reshaping nodes. Absent if even their number is unknown.
// Source: what ONNX calls partial data propagation.
std::optional<std::vector<Element>> partial_value(const ir::Value& value);

// The constant behind a value: of an onnx::Constant, or of a small weight. Null if there is none, or it is larger than
// `max_elements`.
std::optional<ir::Tensor> constant_tensor(const ir::Value& value, std::int64_t max_elements);

}  // namespace tonnx::onnx
