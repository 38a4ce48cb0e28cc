#pragma once

#include "lower/op.h"

// Lists of tensors of dynamic length, as ONNX sequences.
namespace tonnx::lower {

// ONNX sequences have items of one dtype: refuses two different ones.
void require_one_dtype(DType a, DType b);

// The sequence that a source value was lowered to; null if it is not such a list.
Value* lowered_sequence(const Op& op, const ir::Value* source);

// Item `position` (rank 0, int64); a negative one counts from the end.
Value* sequence_item(Builder& b, Value* sequence, Value* position);
Value* sequence_length(Builder& b, Value* sequence);  // rank 0, int64

// Appends `items` to `sequence`.
Value* append(Builder& b, Value* sequence, const Values& items);
// Appends `count` items of `other` to `sequence`: those at begin, begin + step (null: 1), ..., as far as they are
// within its length. All numbers are rank 0, int64. Needs opset 13.
Value* append_part(Builder& b, Value* sequence, Value* other, Value* begin, Value* count, Value* step = nullptr);

// The same sequence as a value for whose items ONNX infers no shape. Needs opset 13, unless the sequence is constructed
// from its items.
Value* of_any_shape(Builder& b, Value* sequence);

// True if a tensor with these facts has elements in every run. Below opset 14 Reshape copies an input dim for each 0 in
// a computed shape.
bool surely_holds_elements(const ir::Facts& facts);

// Concatenates all items along one of their axes or, if `fresh`, along a new one.
Value* concat_sequence(Op& op, Value* sequence, std::int64_t axis, bool fresh);
// The same sequence as a new value.
Value* same_sequence(Builder& b, Value* sequence);
// require() for a sequence: a run in which the condition is false fails, because it erases the item after the last one.
Value* require_of_sequence(Builder& b, Value* sequence, Value* condition);
// The slices of x at every index of an axis.
Value* unbind_to_sequence(Builder& b, Value* x, std::int64_t axis);
// Splits x along an axis into pieces of these sizes (rank 1, int64).
Value* split_to_sequence(Builder& b, Value* x, Value* sizes, std::int64_t axis);

}  // namespace tonnx::lower
