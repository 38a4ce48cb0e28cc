#pragma once

#include "lower/builder.h"
#include "lower/op.h"

// Sums and products of int64 as in LibTorch: exact, and modulo 2^64, also on targets whose ReduceSum and ReduceProd of
// int64 compute in float64 (Defect::IntegerSumRounding, IntegerProductRounding).
namespace tonnx::lower {

// The sum of x (int64) over these axes (not negative), of up to 2^21 elements. Uses fewer nodes if the elements are
// known to be small.
Value* whole_sum(Builder& b, Value* x, std::span<const std::int64_t> axes, bool keep_dims);
// The sum of x, floats or integers, in its dtype; integers wrap around.
Value* sum_in_dtype(Builder& b, Value* x, std::span<const std::int64_t> axes, bool keep_dims);

// The same for the product. x has a known rank above 0.
Value* whole_product(Op& op, Value* x, Dims axes, bool keep_dims);

// Element i along the axis is the product of x (int64) up to i; the rank is known and above 0.
Value* running_whole_product(Op& op, Value* x, std::int64_t axis);

// The batch axes of two operands broadcast, or are equal in every run.
enum class Batches { Broadcast, Alike };
// MatMul of floats, or of integers, which are exact and wrap around; below opset 9 integers need known ranks.
Value* product_of_matrices(const Op& op, Value* x, Value* y, Batches batches = Batches::Broadcast);

}  // namespace tonnx::lower
