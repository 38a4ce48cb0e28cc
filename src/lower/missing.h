#pragma once

#include <string_view>

#include "lower/builder.h"
#include "lower/op.h"
#include "lower/reduce.h"

// NaN under an order. LibTorch lets NaN win every maximum and minimum and sorts it behind all numbers; ONNX leaves both
// open.
namespace tonnx::lower {

// Whether NaN may come to x from the model's inputs or from a NaN of the program. What a layer with weights gives (a
// convolution, a product, a normalisation) counts as free of it, so that networks do not pay for what only a diverged
// one would show.
bool may_hold_nan(const Value* x);
// The same of NaN and of negative infinity.
bool may_hold_nan_or_lowest(const Value* x);

// Whether any element over the axes is NaN; bool.
Value* any_nan(Op& op, Value* x, const ReducedAxes& r);

// "ReduceMax" or "ReduceMin" of x, NaN where one is among the elements and may_hold_nan(x).
Value* reduce_extreme(Op& op, std::string_view name, Value* x, const ReducedAxes& r);

// The places of the extreme elements by "ArgMax" or "ArgMin", of the first NaN where may_hold_nan(x).
Value* place_of_extreme(Op& op, std::string_view name, Value* x, std::int64_t axis, bool keep);

// The mean over axes of x; NaN in a run that gives it no element, where the program allows one and no layer that makes
// maps stands before (may_be_emptied). Below opset 9 a mean of nothing is ONNX Runtime's: 0.
Value* mean_over(Op& op, Value* x, const ReducedAxes& r);

// A vector of floats that a run may give no element: NaN then, which is the median of nothing. Every other x as it is.
Value* nan_where_empty(Op& op, Value* x);

// What to order x by so that NaN is above infinity, in float64; x itself unless may_hold_nan(x).
Value* ordering_key(Builder& b, Value* x);

}  // namespace tonnx::lower
