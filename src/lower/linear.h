#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// x @ weight^T + bias over the last axis of x, as aten::linear; bias may be null. One Gemm where both have rank 2.
Value* affine(const Op& op, Value* x, Value* weight, Value* bias);

// Contraction of two tensors whose axes bear letters, as einsum has it; every letter of `output` is in a or b. Letters
// that both have and the output has too are batch axes and may broadcast.
Value* contract(const Op& op, Value* a, const std::string& a_letters, Value* b, const std::string& b_letters,
                const std::string& output);

}  // namespace tonnx::lower
