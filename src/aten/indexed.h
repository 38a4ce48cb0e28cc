#pragma once

#include <string_view>

namespace tonnx::aten {

// How the indices of an operator address a tensor. An index out of range is an error, which on an accelerator
// invalidates all its work.
enum class Indexed {
  Nothing,
  Axis,      // (self, dim, index, ...): along the axis
  Elements,  // (self, index, ...): into the flattened tensor; may be negative
  Rows,      // (weight, indices, ...): along the first axis
  // (self, indices, ...): one index tensor for each axis; may be negative; a mask counts for as many axes as it has
  Axes,
  Classes,  // (self, target, weight, reduction, ignore_index, ...): along the axis of classes
  Truth,    // (self, ...): none; the value must be true
};

// For an operator's overload, by name ("aten::scatter", "src").
Indexed indexed_by(std::string_view name, std::string_view overload);

}  // namespace tonnx::aten
