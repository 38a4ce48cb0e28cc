#pragma once

#include <string_view>

#include "lower/builder.h"
#include "lower/op.h"
#include "lower/reduce.h"

// NaN in comparisons. In LibTorch NaN wins every maximum and minimum and is sorted after all numbers; ONNX leaves both
// undefined.
namespace tonnx::lower {

// True if x may be NaN, from the model's inputs or from the program. Outputs of layers with weights (convolution,
// product, normalisation) are assumed to be free of NaN, so that networks do not pay for a case that only diverged ones
// show.
bool may_hold_nan(Builder& b, const Value* x);
// The same for NaN and negative infinity.
bool may_hold_nan_or_lowest(Builder& b, const Value* x);

// Bool: true if any element over the axes is NaN.
Value* any_nan(Op& op, Value* x, const ReducedAxes& r);

// Rank-0 bool: x has no elements. Null if the program excludes it or a layer such as a convolution produces x
// (may_be_emptied).
Value* has_no_elements(Op& op, Value* x);

// Returns x. A run in which there is no element over the axes fails, as in LibTorch. The check is skipped if the
// program excludes it or a layer such as a convolution produces x (may_be_emptied).
Value* require_elements(Op& op, Value* x, const ReducedAxes& r);

// "ReduceMax" or "ReduceMin" of x; NaN if an element is NaN and may_hold_nan(x).
Value* reduce_extreme(Op& op, std::string_view name, Value* x, const ReducedAxes& r);

// The indices of the extreme elements by "ArgMax" or "ArgMin"; of the first NaN if may_hold_nan(x).
Value* place_of_extreme(Op& op, std::string_view name, Value* x, std::int64_t axis, bool keep);

// The mean of x over axes. NaN if there are no elements at run time; that case is skipped if the program excludes it or
// a layer such as a convolution produces x (may_be_emptied). Below opset 9 the mean of no elements is ONNX Runtime's:
// 0.
Value* mean_over(Op& op, Value* x, const ReducedAxes& r);

// For a float vector that may be empty: NaN if it is, which is the median of no elements. Returns every other x
// unchanged.
Value* nan_where_empty(Op& op, Value* x);

// The sort key of x, in float64, with NaN above infinity; x itself unless may_hold_nan(x).
Value* ordering_key(Builder& b, Value* x);

}  // namespace tonnx::lower
