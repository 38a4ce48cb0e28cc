#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/folded.h"
#include "ir/graph.h"

namespace tonnx::optimize {

// The function that an operator applies to floating-point elements: of arithmetic (Mul, Neg, ...), or another one (Exp,
// ...). Both members are null for other operators, and for those with attributes or a result of another dtype.
ir::ElementFunction arithmetic_of(std::string_view op);
ir::ElementFunction function_of(std::string_view op);

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
// Nullopt for NaN where runtimes differ, as in a reduction. The operand of a reduction may have any size; it is read in
// pieces.
std::optional<std::vector<ir::Tensor>> fold_function(const ir::Node& node, std::span<const ir::Tensor* const> inputs,
                                                     std::size_t limit, std::int32_t opset);

// Folds an operator whose result is computed when it is read, so that it may have any size: an elementwise operator of
// floating-point operands, or a Concat of the first axis. An operand of an elementwise operator has at most `limit`
// bytes, or as many elements as the result.
std::optional<ir::Tensor> fold_streamed(const ir::Node& node, std::span<const ir::Tensor* const> inputs,
                                        std::size_t limit);

}  // namespace tonnx::optimize
