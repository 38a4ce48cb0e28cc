#pragma once

#include <map>
#include <string>

#include "exported/json.h"

namespace tonnx::exported {

// Returns new names for symbols of a graph, so that sizes that operators need to be equal have one name. LibTorch's
// attention reads keys and values of one length without a check, so a document may use two symbols.
std::map<std::string, std::string> equal_sizes(const Json& graph);

}  // namespace tonnx::exported
