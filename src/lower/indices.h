#pragma once

#include <cstdint>

#include "lower/builder.h"
#include "lower/op.h"

// Advanced indexing, for reads and writes: x[:, i, None, mask].
namespace tonnx::lower {

bool is_mask(const Value* index);  // bool, or uint8, which LibTorch still accepts

// A list of indices (null: the whole axis); masks are converted to indices.
struct Indexing {
  Dims axes;         // the indexed axes, ascending
  Values positions;  // int64, one for each axis; they broadcast
  bool adjacent = false;
  // The first axis of the broadcast indices in the result of a read.
  std::int64_t first_result_axis() const { return adjacent ? axes.front() : 0; }
};
Indexing indexing_of(Op& op, const Values& indices);
// Row-major offset of the elements at these indices, which may be negative, of axes [first, first + indices.size()) of
// x. An index out of range becomes an offset out of range.
Value* flat_position_of(Op& op, Value* x, std::int64_t first, Values indices);

// Clamps the indices of axes of x to the size of the axis.
Values within_sizes(Op& op, Value* x, Values indices);

// An index tensor as Gather accepts it.
Value* as_index(Op& op, Value* index);
// An index tensor along an axis: a vector or a scalar; the rank may be dynamic.
Value* as_places(Op& op, Value* index);

}  // namespace tonnx::lower
