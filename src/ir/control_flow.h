#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::ir {

// The sources of a phi. For a result of If: the outputs of both blocks. For a loop-carried value or its result: the
// initial value and the block output. Empty for all other values, including the iteration index.
std::vector<Value*> handed_from(const Value& value);

// The phis that a use feeds: the result of the If; the loop-carried value and the loop's result. Empty for all other
// uses, for conditions and trip counts.
std::vector<Value*> handed_to(const Use& use);

// The name of a block of a node, as an attribute of ONNX: "then_branch", "else_branch"; "body". Operators outside of
// the standard have names of their own.
std::string block_name(const Node& node, std::size_t index);
// The attribute of the IR, a list of strings, that stores these names. It is not an attribute of the operator.
constexpr const char* kBlockNames = "(block names)";

// True if a node is in a block of `owner`, or nested in one.
bool is_inside(const Node& node, const Node& owner);
bool is_inside(const Node& node, const Block& block);

// For a value defined before the node, or a weight: true if the node may use it, that is, if it is in the value's block
// or nested in it.
bool is_visible(const Value& value, const Node& node);

// The node of the block that is `node` or contains it; null if the node is elsewhere.
const Node* holder_in(const Block& block, const Node& node);

// True if a node is a loop or nested in one.
bool is_in_loop(const Node& node);

}  // namespace tonnx::ir
