#pragma once

#include "aten/traits.h"
#include "ir/graph.h"

namespace tonnx::aten {

// Whether the node builds, takes apart, reads or changes a container in this way.
inline bool acts_as(const ir::Node& node, Container container) { return traits_of(node).container == container; }

}  // namespace tonnx::aten
