#pragma once

#include "lower/op.h"

// Complex matrices as real ones: [[a, -b], [b, a]] in the place of each a + bi.
namespace tonnx::lower {

// The real matrices, of twice the rows and columns, that stand for complex ones. Refuses a tensor of fewer than two axes.
Value* standing_for(Op& op, const Parts& p);
// The complex matrices that such real ones stand for.
Parts read_back(Op& op, Value* y);

}  // namespace tonnx::lower
