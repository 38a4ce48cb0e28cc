#pragma once

#include "aten/traits.h"
#include "ir/graph.h"

namespace tonnx::aten {

// Whether the node builds, takes apart, reads or changes a container in this way.
inline bool acts_as(const ir::Node& node, Container container) { return traits_of(node).container == container; }

// Whether the node makes another list of a list's items.
inline bool gives_new_list(const ir::Node& node) {
  switch (traits_of(node).container) {
    case Container::Concat: case Container::Part: case Container::Copy: case Container::Sorted:
      return true;
    default:
      return false;
  }
}

}  // namespace tonnx::aten
