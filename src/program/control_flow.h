#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// The values that a branch or a loop makes this one of: what the ways of the branch end with; what the loop starts with and
// what its turns end with. Empty for all others, the number of a turn among them.
std::vector<ir::Value*> handed_from(const ir::Value& value);

// The values that a branch or a loop makes of what is read there: the result of the branch; what a turn of the loop begins
// with, and the loop's result. Empty for all other readers, for conditions and trip counts.
std::vector<ir::Value*> handed_to(const ir::Use& use);

// Whether a node stands in a block of `owner`, or in a block in there.
bool is_inside(const ir::Node& node, const ir::Node& owner);
bool is_inside(const ir::Node& node, const ir::Block& block);

// Whether a node is a loop or stands in one.
bool is_in_loop(const ir::Node& node);

}  // namespace tonnx::program
