#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// True if the condition of a check holds in every run. torch.export adds checks that a size of a result is at least 0
// and, if the operator selects elements, at most their number.
bool is_certain(const ir::Value& condition);

}  // namespace tonnx::aten
