#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph.h"

// What several passes read of nodes and their inputs.
namespace tonnx::optimize {

// The integers of a constant tensor; nothing for any other value, and for null.
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

// Whether a block, or the model, gives the value as a result.
inline bool is_block_output(const ir::Value* value) {
  return std::ranges::any_of(value->uses(), [](const ir::Use& use) { return use.node->is("prim::Return"); });
}

// Axes of Squeeze and Unsqueeze in either form, as they are spelled; nothing where a run decides them, and for all that
// are 1.
inline std::optional<std::vector<std::int64_t>> axes_of(const ir::Node& node) {
  if (const auto* axes = node.attribute_as<std::vector<std::int64_t>>("axes")) return *axes;
  return node.input_count() > 1 ? constant_ints(node.input(1)) : std::nullopt;
}

// An attribute, or what it is where the node does not say it.
inline std::int64_t integer_of(const ir::Node& node, std::string_view attribute, std::int64_t otherwise) {
  const auto* value = node.attribute_as<std::int64_t>(attribute);
  return value ? *value : otherwise;
}

// An axis from the front.
inline std::size_t wrap(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

}  // namespace tonnx::optimize
