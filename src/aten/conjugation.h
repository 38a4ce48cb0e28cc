#pragma once

#include <optional>

#include "ir/graph.h"

namespace tonnx::aten {

// For an operator that resolves a conjugate or negative view by a copy: true if it returns its argument itself (same
// dtype and strides as the result), nullopt if that is known only at run time. True for all other operators.
std::optional<bool> gives_itself(const ir::Node& node);

}  // namespace tonnx::aten
