#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace tonnx::onnx {

// One element of an integer tensor: known, a symbolic size, or unknown.
struct Element {
  std::optional<std::int64_t> value;
  ir::Dim size;  // unknown if there is a value, or nothing is known
};

// The elements of an integer scalar or vector, as far as constants and sizes of other values determine them: traces
// backward through Shape, Gather, Slice, Concat, Cast, arithmetic and reshaping nodes. Nullopt if even their number is
// unknown. ONNX calls this partial data propagation.
std::optional<std::vector<Element>> partial_value(const ir::Value& value);

// The tensor of an onnx::Constant or of a small weight. Nullopt for other values, and for more than `max_elements`.
std::optional<ir::Tensor> constant_tensor(const ir::Value& value, std::int64_t max_elements);

}  // namespace tonnx::onnx
