#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace tonnx::optimize {

// The result of an operator that only changes the layout of its first input: a strided view of the same storage, no
// element copied. `inputs` are its constant inputs (null: absent). Nullopt: not such an operator, or not expressible as
// a view. Transpose, Reshape (of a contiguous tensor), Flatten, Squeeze, Unsqueeze, Slice, Split, Expand, Gather by one
// index, Identity.
std::optional<std::vector<ir::Tensor>> fold_view(const ir::Node& node, std::span<const ir::Tensor* const> inputs);

// The results of an operator computed on its constant inputs; nullopt where there is no kernel, a dtype is not handled,
// or the result would pass `limit` bytes. Rounding is that of ONNX Runtime: computed in double, rounded once to the
// dtype, which for +, -, *, / and sqrt of float32 and narrower equals computing in that dtype.
std::optional<std::vector<ir::Tensor>> fold_compute(const ir::Node& node, std::span<const ir::Tensor* const> inputs,
                                                    std::size_t limit);

}  // namespace tonnx::optimize
