#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// aten::linear: x @ weight^T + bias over the last axis of x. The bias may be null. One Gemm if x and weight have rank
// 2.
Value* affine(const Op& op, Value* x, Value* weight, Value* bias);

// Contraction of two tensors whose axes have letters, as in einsum. Every letter of `output` must be in a or b. Letters
// in a, b and the output are batch axes and may broadcast.
Value* contract(const Op& op, Value* a, const std::string& a_letters, Value* b, const std::string& b_letters,
                const std::string& output);

}  // namespace tonnx::lower
