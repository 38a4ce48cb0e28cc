#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/graph.h"

// Attributes of a program's nodes that say what size 0 of a dynamic axis changes. Facts hold for sizes of 1 and more.
namespace tonnx::ir {

// Of a node: pairs of an output and an axis that has another size than its fixed one if some dynamic axis has size 0.
inline constexpr const char* kEmptiedAxes = "emptied_axes";
// Of the program's return node: triples of the number of a set, an input and an axis. If all axes of a set have size 0,
// the model computes something else than the program.
inline constexpr const char* kNonemptyAxes = "nonempty_axes";

// Returns the axes of `kEmptiedAxes` of a value; for a loop-carried value in the body those of the loop's result.
inline std::vector<std::size_t> emptied_axes(const Value& value) {
  const Node* node = value.node();
  if (!node) return {};
  std::int64_t shift = 0;
  std::span<Value* const> values = node->outputs();
  if (node->is("prim::Param")) {
    const Block* block = node->parent();
    node = block ? block->owner() : nullptr;
    if (!node || !node->is("prim::Loop")) return {};
    values = block->inputs();
    shift = 1;  // the iteration number
  }
  const auto* pairs = node->attribute_as<std::vector<std::int64_t>>(kEmptiedAxes);
  if (!pairs) return {};
  const std::int64_t index = std::ranges::find(values, &value) - values.begin() - shift;
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i + 1 < pairs->size(); i += 2)
    if ((*pairs)[i] == index) axes.push_back(static_cast<std::size_t>((*pairs)[i + 1]));
  return axes;
}

}  // namespace tonnx::ir
