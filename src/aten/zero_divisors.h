#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// True if the node divides integers by a constant that is 0 or, for tensors, has an element that is 0: LibTorch fails
// in every run, unless it divides nothing. Needs facts.
bool divides_by_zero(const ir::Node& node);

// True if the node's first two arguments include a tensor without elements.
bool divides_nothing(const ir::Node& node);

}  // namespace tonnx::aten
