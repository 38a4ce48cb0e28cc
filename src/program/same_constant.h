#pragma once

#include "ir/constant.h"

namespace tonnx::program {

// Whether two runs know the same: numbers of one type and value (NaN as well), tensors of one dtype, dims and bytes.
bool same_constant(const ir::Constant& a, const ir::Constant& b);

}  // namespace tonnx::program
