#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::ir {

// The values that a branch or a loop makes this one of: what the ways of the branch end with; what the loop starts with
// and what its turns end with. Empty for all others, the number of a turn among them.
std::vector<Value*> handed_from(const Value& value);

// The values that a branch or a loop makes of what is read there: the result of the branch; what a turn of the loop
// begins with, and the loop's result. Empty for all other readers, for conditions and trip counts.
std::vector<Value*> handed_to(const Use& use);

// Whether a node stands in a block of `owner`, or in a block in there.
bool is_inside(const Node& node, const Node& owner);
bool is_inside(const Node& node, const Block& block);

// Whether a value that is made before a node, or holds weights, can be read there.
bool is_visible(const Value& value, const Node& node);

// The node of the block that is this one or holds it; null where the node stands elsewhere.
const Node* holder_in(const Block& block, const Node& node);

// Whether a node is a loop or stands in one.
bool is_in_loop(const Node& node);

}  // namespace tonnx::ir
