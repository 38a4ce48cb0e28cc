#pragma once

#include <cstdint>

#include "lower/builder.h"
#include "lower/op.h"

// Advanced indexing, read and written: x[:, i, None, mask].
namespace tonnx::lower {

bool is_mask(const Value* index);  // bool, or uint8 as LibTorch still takes it

// A list of indices (null: the whole axis), masks taken apart into positions.
struct Indexing {
  Dims axes;         // the indexed axes, ascending
  Values positions;  // int64 from the front, one per axis; they broadcast together
  bool adjacent = false;
  // First axis of the broadcast positions in the result of a read.
  std::int64_t first_result_axis() const { return adjacent ? axes.front() : 0; }
};
Indexing indexing_of(Op& op, Value* x, const Values& indices);

// Indices of the axes of x, each moved to the nearest one that the axis has.
Values within_sizes(Op& op, Value* x, Values indices);

// An index tensor as Gather takes it.
Value* as_index(Op& op, Value* index);
// One that names places along an axis: a vector or a number, and a run may decide which.
Value* as_places(Op& op, Value* index);

}  // namespace tonnx::lower
