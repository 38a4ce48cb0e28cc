#pragma once

#include "lower/op.h"

// Pools whose windows a run decides: their size or their stride comes of sizes of the model's inputs.
namespace tonnx::lower {

bool has_open_windows(const Op& op, const Dims& padding, const Dims& dilation);

// Of each spatial axis of the batched x: which elements are in each window, (windows, elements). Refuses what is padded, dilated or
// rounded up.
Values open_windows(const Op& op, Value* x, const Dims& padding, const Dims& dilation);

// ReduceMean or ReduceMax over the windows.
Value* reduce_windows(Builder& b, std::string_view reduction, Value* x, const Values& windows);

}  // namespace tonnx::lower
