#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace tonnx::program {

// How often a loop runs whose condition is constant, or follows from numbers that it carries, counted up from known
// ones, as what `for ... continue` and `while i < 4` become, or from facts, as of `while x.dim() > 2`: at most `most`.
// -1 where that is more, or dynamic. No node is changed.
std::int64_t counted_turns(const ir::Node& loop, std::int64_t most);

}  // namespace tonnx::program
