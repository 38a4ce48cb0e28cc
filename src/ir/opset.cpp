#include "ir/opset.h"

#include <algorithm>

namespace tonnx::ir {

bool OpSlot::allows(DType dtype) const { return std::ranges::find(dtypes, dtype) != dtypes.end(); }

bool OpDef::has_attribute(std::string_view attribute) const {
  return std::ranges::find(attributes, attribute) != attributes.end();
}

}  // namespace tonnx::ir
