#pragma once

#include <vector>

#include "lower/registry.h"

namespace tonnx::exporting {

// Returns every operator that an export converts, by name, then opset: the entries of the registry, and operators on
// quantised tensors that a pass replaces before lowering. The registry's entries are valid until it changes.
std::vector<const lower::Registry::Entry*> list_operators(const lower::Registry& registry);

}  // namespace tonnx::exporting
