#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// The indices into the flattened argument `self` of the elements that `size`, `stride` and `storage_offset` of
// as_strided and similar operators select. Refuses a `self` that is not contiguous: these operators address storage,
// and the storage order is known only for a contiguous tensor.
Dims strided_positions(Op& op);
// The same for dynamic sizes, strides or offset, in the shape of the read or written `view`. An index beyond the last
// element is a run-time error.
Value* strided_positions_at_run_time(Op& op, const ir::Facts& view);
// True if strided_positions() can compute the indices.
bool has_known_positions(const Op& op);

}  // namespace tonnx::lower
