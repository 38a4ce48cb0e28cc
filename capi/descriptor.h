#pragma once

#include <memory>
#include <string_view>

#include "lower/registry.h"

namespace tonnx::capi {

// Returns a symbolic that checks the arguments of its operator before it calls another one: "v,i,is" as in
// tonnx_registry_set_arguments. A symbolic that this function returned is replaced, not wrapped again. Throws
// Error(Code::Argument) for an unknown kind.
lower::Symbolic with_arguments(const std::shared_ptr<const lower::Symbolic>& symbolic, std::string_view kinds);

}  // namespace tonnx::capi
