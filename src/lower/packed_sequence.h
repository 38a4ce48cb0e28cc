#pragma once

#include "lower/op.h"

// The data of a packed sequence is, as in LibTorch, the elements of its sequences step by step, (elements, features).
// Where recurrent operators and the unpacking alone read it, it stays padded in the model, (time, batch, features), as
// a list of one value so that no other lowering takes it for a tensor of LibTorch's shape.
namespace tonnx::lower {

// What stands for data, output 0 of the node: `x` is padded, (time, batch, features), and of sequences of these lengths
// (int64). `sizes` are its batch sizes in the program.
Lowered packed_data(const Op& op, Value* x, Value* lengths, const ir::Value* sizes);

// Of a node with arguments "data" and "batch_sizes": the padded sequences, and their lengths, (batch) int64.
Value* padded_data(const Op& op);
Value* lengths_of(const Op& op);

}  // namespace tonnx::lower
