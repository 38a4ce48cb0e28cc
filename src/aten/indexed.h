#pragma once

#include <string_view>

namespace tonnx::aten {

// Where the indices of an operator point. One outside is an error, which an accelerator finds out too late for all its
// work.
enum class Indexed {
  Nothing,
  Axis,      // (self, dim, index, ...): along the axis
  Elements,  // (self, index, ...): to any element, from behind as well
  Rows,      // (weight, indices, ...): along the first axis
  Axes,      // (self, indices, ...): along an axis each, from behind as well; a mask stands for as many as it has
  Classes,   // (self, target, weight, reduction, ignore_index, ...): along the axis of classes
  Truth,     // (self, ...): to nothing; what it holds must be true
};

// Of an operator's overload, by name ("aten::scatter", "src").
Indexed indexed_by(std::string_view name, std::string_view overload);

}  // namespace tonnx::aten
