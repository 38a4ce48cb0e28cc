#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace tonnx::optimize {

// Folds an operator that only changes the layout of its first input, to a strided view of the same storage; copies no
// element. `inputs` are its constant inputs (null: absent). Nullopt for other operators, or if the result is not a
// view. Supports Transpose, Reshape (of a contiguous tensor), Flatten, Squeeze, Unsqueeze, Slice, Split, Expand, Gather
// by one index, Identity.
std::optional<std::vector<ir::Tensor>> fold_view(const ir::Node& node, std::span<const ir::Tensor* const> inputs);

// Computes an operator on its constant inputs. Nullopt if there is no kernel, a dtype is not supported, or the result
// is larger than `limit` bytes. Rounds like ONNX Runtime: computes in double and rounds once to the dtype, which for +,
// -, *, / and sqrt of float32 and narrower equals computing in that dtype.
std::optional<std::vector<ir::Tensor>> fold_compute(const ir::Node& node, std::span<const ir::Tensor* const> inputs,
                                                    std::size_t limit);

// The same for functions (Exp, Tanh, ...), reductions, Softmax, CumSum, Clip and products of two matrices, of floating
// dtypes. They are computed in double and rounded once, so the result may differ from a runtime's in the last digit.
// Nullopt for NaN where runtimes differ, as in a reduction.
std::optional<std::vector<ir::Tensor>> fold_function(const ir::Node& node, std::span<const ir::Tensor* const> inputs,
                                                     std::size_t limit, std::int32_t opset);

}  // namespace tonnx::optimize
