#pragma once

#include <cstdint>

#include "ir/graph.h"
#include "program/facts/marks.h"

namespace tonnx::program {

// Returns the trip count of a loop if it is known and at most `most`; else -1. It is known if the condition is
// constant, if it depends only on loop-carried integers with constant initial values (`while i < 4`, `for ...
// continue`), or from facts (`while x.dim() > 2`). Does not change the loop.
std::int64_t known_trip_count(const ir::Node& loop, std::int64_t most, const FactMarks& marks);

}  // namespace tonnx::program
