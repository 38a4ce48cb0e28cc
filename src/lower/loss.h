#pragma once

#include "lower/formula.h"
#include "lower/op.h"

// What the loss operators share.
namespace tonnx::lower {

// The dtype a loss is computed in: that of the result, half precision in float32.
DType loss_dtype(const Op& op);
// Tensor `argument` in that dtype.
Term loss_operand(Op& op, std::string_view argument);
// The loss as argument `reduction` asks: none (0), mean (1), sum (2).
Value* reduced_loss(Op& op, Value* loss);
// The sum of all elements, rank 0.
Value* sum_of(Op& op, Value* x);

// The tensors `x` - `y` in the dtype of the loss; integers are subtracted in their own, where they wrap.
Term difference_of(Op& op, std::string_view x, std::string_view y);
// The p-norm of difference + eps along the last axis; the order is a number, or that of an argument, which a run may
// decide.
Value* distance_along_last(Op& op, Value* difference, double p, double eps, bool keep);
Value* distance_along_last(Op& op, Value* difference, std::string_view order, double eps, bool keep);

}  // namespace tonnx::lower
