#pragma once

#include <map>
#include <string>

#include "exported/json.h"

namespace tonnx::exported {

// Other names for symbols of a graph, by which sizes that its operators need to be equal have one name: LibTorch's
// attention reads keys and values of one length and does not check it, so that a document tells them as two.
std::map<std::string, std::string> equal_sizes(const Json& graph);

}  // namespace tonnx::exported
