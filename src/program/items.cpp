#include "program/items.h"

#include <algorithm>

#include "aten/traits.h"

namespace tonnx::program {

using aten::Container;
using ir::Node;
using ir::Value;

std::optional<std::int64_t> constant_integer(const Value* value) {
  const ir::Constant* constant = value ? value->constant() : nullptr;
  const auto* integer = constant ? constant->get<std::int64_t>() : nullptr;
  return integer ? std::optional<std::int64_t>(*integer) : std::nullopt;
}

std::optional<std::size_t> constant_index(const Value* index, std::size_t count) {
  const auto value = constant_integer(index);
  if (!value) return std::nullopt;
  const std::int64_t i = *value < 0 ? *value + static_cast<std::int64_t>(count) : *value;
  if (i < 0 || i >= static_cast<std::int64_t>(count)) return std::nullopt;
  return static_cast<std::size_t>(i);
}

std::optional<std::vector<Value*>> items_of_new_list(const Node& node, std::span<Value* const> items,
                                                     std::optional<std::span<Value* const>> more) {
  std::vector<Value*> result;
  switch (aten::traits_of(node).container) {
    case Container::Copy:
      return std::vector<Value*>(items.begin(), items.end());
    case Container::Concat:
      if (!more) return std::nullopt;
      result.assign(items.begin(), items.end());
      result.insert(result.end(), more->begin(), more->end());
      return result;
    case Container::Part:
      break;
    default:
      return std::nullopt;
  }
  const auto size = static_cast<std::int64_t>(items.size());
  std::int64_t bounds[3] = {0, size, 1};  // begin, end, step
  for (std::size_t i = 1; i < node.input_count() && i < 4; ++i) {
    const ir::Constant* given = node.input(i)->constant();
    if (given && given->is_none()) continue;
    const auto value = constant_integer(node.input(i));
    if (!value) return std::nullopt;
    bounds[i - 1] = i < 3 ? std::clamp<std::int64_t>(*value < 0 ? *value + size : *value, 0, size) : *value;
  }
  if (bounds[2] < 1) return std::nullopt;
  for (std::int64_t i = bounds[0]; i < bounds[1]; i += bounds[2]) result.push_back(items[static_cast<std::size_t>(i)]);
  return result;
}

}  // namespace tonnx::program
