#pragma once

#include "lower/op.h"

// Lists of tensors whose length is known at run time only, as ONNX sequences.
namespace tonnx::lower {

// The sequence behind a source value; null where it is no list of that kind.
Value* sequence_behind(const Op& op, const ir::Value* source);

// Item `position` (rank 0, int64; a negative one counts from the end).
Value* sequence_item(Builder& b, Value* sequence, Value* position);
Value* sequence_length(Builder& b, Value* sequence);  // rank 0, int64

// `sequence` and then `items`.
Value* append(Builder& b, Value* sequence, const Values& items);
// `sequence` and then `count` items of `other`: those at begin, begin + step (null: 1), ..., which are within its
// length. All are rank 0, int64. Needs opset 13.
Value* append_part(Builder& b, Value* sequence, Value* other, Value* begin, Value* count, Value* step = nullptr);

// The sequence as one of whose items ONNX infers no shape. Needs opset 13 but for one that is built of its items.
Value* of_any_shape(Builder& b, Value* sequence);

// Whether a tensor of these facts has elements in every run: below opset 14 Reshape keeps a size where a computed shape
// says 0.
bool surely_holds_elements(const ir::Facts& facts);

// All the items as one tensor: along an axis of theirs, or, if `fresh`, along a new one.
Value* concat_sequence(Op& op, Value* sequence, std::int64_t axis, bool fresh);
// The same sequence as another value.
Value* same_sequence(Builder& b, Value* sequence);
// The slices of x at every position of an axis.
Value* unbind_to_sequence(Builder& b, Value* x, std::int64_t axis);
// Pieces of x along an axis that have these sizes (rank 1, int64).
Value* split_to_sequence(Builder& b, Value* x, Value* sizes, std::int64_t axis);

}  // namespace tonnx::lower
