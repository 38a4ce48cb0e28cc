#pragma once

#include "lower/op.h"

// A packed sequence stays padded in the model, (time, batch, features), and its lengths are those it was packed by. That
// holds as long as recurrent operators and the unpacking alone read its data, which stand as a list of one so that no
// other lowering takes them for a tensor of LibTorch's shape.
namespace tonnx::lower {

// Whether nothing but such operators reads the data.
bool only_read_packed(const ir::Value* data);
Lowered padded(Value* x);
Value* padded_data(const Op& op);  // of the argument "data"
Value* lengths_of(const Op& op);   // (batch) int64, of the argument "batch_sizes"

}  // namespace tonnx::lower
