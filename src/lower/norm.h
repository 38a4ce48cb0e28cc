#pragma once

#include "lower/op.h"
#include "lower/reduce.h"

namespace tonnx::lower {

// (sum |x|^p)^(1/p) over axes, or its limit for p = 0 or infinity; computed in full precision for a floating x.
Value* norm_of(Op& op, Value* x, double p, const ReducedAxes& r);
// The same, with the order from an argument, which may be dynamic; None means 2.
Value* norm_by(Op& op, std::string_view argument, Value* x, const ReducedAxes& r);

}  // namespace tonnx::lower
