#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exported/json.h"
#include "ir/constant.h"

namespace tonnx::exported {

// The root module's `fqn` in a module_call_graph.
inline constexpr std::string_view kRootModule = "";

// Returns the names of a tree's leaves in order: keys and field names, and below a name also indices, separated by dots
// ("boxes.0"); empty if a leaf has no name. `spec` is PyTorch's text of a tree, `prefix` the name of the root. Trees of
// classes with unknown fields have indices. Throws JsonError if the text is not a tree.
std::vector<std::string> leaf_names(std::string_view spec, const std::string& prefix = {});

// Number of leaves below a node.
std::size_t leaf_count(const Json& node);

// Keys or field names of a node's children; empty if they have no names.
std::vector<std::string> child_names(const Json& node);

// Fields of a data class that were None, which are not children of its node.
std::vector<std::string> absent_names(const Json& node);

// Appends the leaves of a value with the structure of this tree: lists, tuples and objects by index, dicts by key.
// Fields that are not children must be None or missing. Returns false if the structure differs.
bool flatten(const Json& node, const ir::Constant& value, std::vector<const ir::Constant*>& leaves);

}  // namespace tonnx::exported
