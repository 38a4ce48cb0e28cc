#pragma once

#include "lower/formula.h"
#include "lower/op.h"

// Shared by the loss operators.
namespace tonnx::lower {

// The dtype in which a loss is computed: that of the result, but float32 for half precision.
DType loss_dtype(const Op& op);
// Tensor `argument` in that dtype.
Term loss_operand(Op& op, std::string_view argument);
// Applies the argument `reduction`: none (0), mean (1), sum (2).
Value* reduced_loss(Op& op, Value* loss);
// The sum of all elements, rank 0.
Value* sum_of(Op& op, Value* x);

// `x` - `y` in the dtype of the loss; integers are subtracted in their own dtype, where they wrap.
Term difference_of(Op& op, std::string_view x, std::string_view y);
// The p-norm of difference + eps along the last axis. The order is a constant, or a scalar argument that may be
// dynamic.
Value* distance_along_last(Op& op, Value* difference, double p, double eps, bool keep);
Value* distance_along_last(Op& op, Value* difference, std::string_view order, double eps, bool keep);

}  // namespace tonnx::lower
