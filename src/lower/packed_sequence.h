#pragma once

#include "lower/op.h"

// Packed sequences. In LibTorch the data has the elements of all sequences step by step, (elements, features). If only
// recurrent operators and unpacking use it, the model keeps it padded, (time, batch, features). It is then stored as a
// list of one value, so that no other lowering takes it for a tensor of LibTorch's shape.
namespace tonnx::lower {

// The lowered form of the data, output 0 of the node. `x` is padded, (time, batch, features); `lengths` (int64) are the
// lengths of the sequences, `sizes` their batch sizes in the program.
Lowered packed_data(const Op& op, Value* x, Value* lengths, const ir::Value* sizes);

// The lengths as int64, made by nodes that fail where LibTorch refuses them: if they do not descend, or one is below 1.
Value* checked_lengths(Builder& b, Value* lengths);

// For a node with arguments "data" and "batch_sizes": the padded sequences, and their lengths, (batch) int64.
Value* padded_data(const Op& op);
Value* lengths_of(const Op& op);

}  // namespace tonnx::lower
