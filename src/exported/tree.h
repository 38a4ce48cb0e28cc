#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tonnx::exported {

// The names of a tree's leaves in order: keys and field names, and positions below a name, dotted ("boxes.0"); empty
// where nothing names the leaf. `spec` is PyTorch's text of a tree, `prefix` the name of the whole. Trees of classes
// that do not tell their fields have positions. Throws Json::exception for a text that is no tree.
std::vector<std::string> leaf_names(std::string_view spec, const std::string& prefix = {});

}  // namespace tonnx::exported
