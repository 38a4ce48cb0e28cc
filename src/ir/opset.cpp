#include "ir/opset.h"

#include <algorithm>

namespace tonnx::ir {

bool OpSlot::allows(DType dtype) const { return std::ranges::find(dtypes, dtype) != dtypes.end(); }

}  // namespace tonnx::ir
