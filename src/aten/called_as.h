#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace tonnx::aten {

// The attribute of a node that an importer has read as another operator or overload than the program calls, with the
// full name of the program's: "aten::add.Tensor" for an aten::add.Scalar that an archive calls with a number as its
// second argument, "prims::exp" for aten::exp. Symbolics that are registered under this name convert the node, too. The
// node has the arguments of the program's operator in the same order; those of prims may be followed by further ones.
inline constexpr const char* kCalledAs = "called_as";

// Empty if the program calls the node's own operator.
inline std::string_view called_as(const ir::Node& node) {
  const auto* name = node.attribute_as<std::string>(kCalledAs);
  return name ? std::string_view(*name) : std::string_view();
}

}  // namespace tonnx::aten
