#pragma once

#include "lower/op.h"

// Pooling with dynamic windows: the window size or stride is an input, or computed from sizes of inputs.
namespace tonnx::lower {

// True if the operator is such a pool. A window that covers a whole dynamic axis does not count.
bool has_open_windows(const Op& op, const Dims& padding, const Dims& dilation);

// For each spatial axis of the batched x, the indices of the elements in each window: (windows, elements). Refuses
// padding, dilation and ceil_mode.
Values open_windows(Op& op, Value* x, const Dims& padding, const Dims& dilation);

// ReduceMean or ReduceMax over the windows.
Value* reduce_windows(Builder& b, std::string_view reduction, Value* x, const Values& windows);

}  // namespace tonnx::lower
