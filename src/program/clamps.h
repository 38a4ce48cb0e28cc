#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// The numbers at which a size may stop to follow another one: constant bounds of slices, minima and maxima, without their
// signs, the largest first, none twice. Bounds that no size reaches ("to the end") are left out.
std::vector<std::int64_t> clamps_of(const ir::Graph& graph);

}  // namespace tonnx::program
