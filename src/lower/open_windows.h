#pragma once

#include "lower/op.h"

// Pools whose windows a run decides: their size or their stride is an input, or comes of sizes of inputs.
namespace tonnx::lower {

// Whether the operator is such a pool. A window that is all of an open axis is none.
bool has_open_windows(const Op& op, const Dims& padding, const Dims& dilation);

// Of each spatial axis of the batched x: which elements are in each window, (windows, elements). Refuses what is
// padded, dilated or rounded up.
Values open_windows(Op& op, Value* x, const Dims& padding, const Dims& dilation);

// ReduceMean or ReduceMax over the windows.
Value* reduce_windows(Builder& b, std::string_view reduction, Value* x, const Values& windows);

}  // namespace tonnx::lower
