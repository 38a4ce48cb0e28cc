#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

#include "lower/op.h"

namespace tonnx::lower {

// The dtype in which LibTorch computes on these operands; see aten::result_type. A tensor of unknown rank counts as one
// with axes. Undefined if an operand's dtype is unknown.
DType promoted_dtype(std::span<const ir::Value* const> operands);

// The dtype of result 0 if it is known, else the promoted dtype of the operands at `positions`.
DType compute_dtype(const Op& op, std::initializer_list<std::size_t> positions);

// Argument `position` of the source node as a value of `dtype`; a scalar becomes rank 0.
Value* operand(const Op& op, std::size_t position, DType dtype);
Value* operand(const Op& op, std::string_view argument, DType dtype);

// Casts float16 and bfloat16 to float32, for formulas whose intermediate results exceed their range or precision;
// returns other dtypes unchanged.
Value* in_full_precision(Builder& b, Value* x);

// x in the dtype of the result, else in that of the argument "dtype", else in `otherwise`; in full precision.
Value* in_result_dtype(Op& op, Value* x, DType otherwise);

// Rounds floating results, and the parts of complex ones, from a wider dtype to LibTorch's.
Outputs round_results(Op& op, Outputs wide);

// The row of a lowering that computes in float32 or float64; its results are rounded to LibTorch's narrower dtype.
template <Outputs (*Lowering)(Op&)>
Outputs rounded(Op& op) {
  return round_results(op, Lowering(op));
}

}  // namespace tonnx::lower
