#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exported/json.h"
#include "ir/constant.h"

namespace tonnx::exported {

// The names of a tree's leaves in order: keys and field names, and positions below a name, dotted ("boxes.0"); empty
// where nothing names the leaf. `spec` is PyTorch's text of a tree, `prefix` the name of the whole. Trees of classes
// that do not tell their fields have positions. Throws JsonError for a text that is no tree.
std::vector<std::string> leaf_names(std::string_view spec, const std::string& prefix = {});

// The number of leaves of a tree's node.
std::size_t leaf_count(const Json& node);

// The keys or field names of a node's children; none where nothing names them.
std::vector<std::string> child_names(const Json& node);

// The fields of a data class that were None, which are no children of its node.
std::vector<std::string> absent_names(const Json& node);

// Appends the leaves of a value that is such a tree; lists, tuples and objects by position, dicts by key. Fields that
// are no children are None or left out. False where it is another tree.
bool flatten(const Json& node, const ir::Constant& value, std::vector<const ir::Constant*>& leaves);

}  // namespace tonnx::exported
