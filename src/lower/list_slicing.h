#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// aten::slice.t: a slice of a list, with Python's rules.
Outputs slice_of_list(Op& op);

}  // namespace tonnx::lower
