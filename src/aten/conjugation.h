#pragma once

#include <optional>

#include "ir/graph.h"

namespace tonnx::aten {

// Whether an operator that copies what is conjugated, or the negative part of such, gives its argument itself, where
// that has the result's dtype and strides; nothing where a run decides it. True of all other operators.
std::optional<bool> gives_itself(const ir::Node& node);

}  // namespace tonnx::aten
