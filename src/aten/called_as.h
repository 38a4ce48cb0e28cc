#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace tonnx::aten {

// The attribute of a node that an importer has read as another overload than the program calls, with the full name of
// the program's: "aten::add.Tensor" for an aten::add.Scalar that an archive calls with a number as its second argument.
// Symbolics that are registered under this name convert the node, too. Both overloads have the same arguments in the
// same order.
inline constexpr const char* kCalledAs = "called_as";

// Empty if the program calls the node's own overload.
inline std::string_view called_as(const ir::Node& node) {
  const auto* name = node.attribute_as<std::string>(kCalledAs);
  return name ? std::string_view(*name) : std::string_view();
}

}  // namespace tonnx::aten
