#pragma once

#include "lower/op.h"

namespace tonnx::lower {

// aten::slice.t: a part of a list, cut as Python cuts it.
Outputs slice_of_list(Op& op);

}  // namespace tonnx::lower
