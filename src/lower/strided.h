#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// The elements of the argument `self`, counted in the order of its dims, that the arguments `size`, `stride` and
// `storage_offset` of as_strided and its kin name. Refuses where they do not lie there: those operators read memory,
// and only of a contiguous tensor is it known where its elements are.
Dims strided_positions(Op& op);
// The same where a run decides the sizes, the strides or the offset; in the shape of what is read or written, `view`. A
// position behind the last element is an error of the run.
Value* strided_positions_at_run_time(Op& op, const ir::Facts& view);
// Whether strided_positions() tells them.
bool has_known_positions(const Op& op);

}  // namespace tonnx::lower
