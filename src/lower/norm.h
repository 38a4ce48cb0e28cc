#pragma once

#include "lower/op.h"
#include "lower/reduce.h"

namespace tonnx::lower {

// (sum |x|^p)^(1/p) over axes, and its limits for p of 0 and infinity; of a floating x in full precision.
Value* norm_of(Op& op, Value* x, double p, const ReducedAxes& r);

}  // namespace tonnx::lower
