#pragma once

#include "lower/op.h"
#include "lower/reduce.h"

namespace tonnx::lower {

// (sum |x|^p)^(1/p) over axes, and its limits for p of 0 and infinity; of a floating x in full precision.
Value* norm_of(Op& op, Value* x, double p, const ReducedAxes& r);
// The same of the order that an argument gives, which a run may decide; 2 of None.
Value* norm_by(Op& op, std::string_view argument, Value* x, const ReducedAxes& r);

}  // namespace tonnx::lower
