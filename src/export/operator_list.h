#pragma once

#include <vector>

#include "lower/registry.h"

namespace tonnx::exporting {

// Every operator that an export converts, by name, then opset: the registry's entries, and the operators on quantised
// tensors that a pass replaces before anything is lowered. Those of the registry are valid until it changes.
std::vector<const lower::Registry::Entry*> list_operators(const lower::Registry& registry);

}  // namespace tonnx::exporting
