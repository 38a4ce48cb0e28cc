#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph.h"

// Queries of nodes and their inputs for several passes.
namespace tonnx::optimize {

// The integers of a constant tensor; nullopt for any other value, and for null.
inline std::optional<std::vector<std::int64_t>> constant_ints(const ir::Value* value) {
  const ir::Constant* constant = value ? value->constant() : nullptr;
  const ir::Tensor* tensor = constant ? constant->get<ir::Tensor>() : nullptr;
  if (!tensor || !ir::is_integral(tensor->dtype)) return std::nullopt;
  return tensor->to_int64s();
}

// The tensor of a Constant node; null for any other value, and for null.
inline const ir::Tensor* constant_tensor(const ir::Value* value) {
  const ir::Constant* constant = value ? value->constant() : nullptr;
  return constant && value->node()->is("onnx::Constant") ? constant->get<ir::Tensor>() : nullptr;
}

// True if the value is an output of a block or of the model.
inline bool is_block_output(const ir::Value* value) {
  return std::ranges::any_of(value->uses(), [](const ir::Use& use) { return use.node->is("prim::Return"); });
}

// The axes of Squeeze and Unsqueeze in either form, as specified; nullopt if they are dynamic or absent (all axes of
// size 1).
inline std::optional<std::vector<std::int64_t>> axes_of(const ir::Node& node) {
  if (const auto* axes = node.attribute_as<std::vector<std::int64_t>>("axes")) return *axes;
  return node.input_count() > 1 ? constant_ints(node.input(1)) : std::nullopt;
}

// An attribute, or its default value if the node does not have it.
inline std::int64_t integer_of(const ir::Node& node, std::string_view attribute, std::int64_t otherwise) {
  const auto* value = node.attribute_as<std::int64_t>(attribute);
  return value ? *value : otherwise;
}

// A non-negative axis.
inline std::size_t wrap(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

}  // namespace tonnx::optimize
