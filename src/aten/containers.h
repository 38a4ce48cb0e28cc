#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/graph.h"

namespace tonnx::aten {

// True if the node builds, unpacks, reads or changes a container in this way.
inline bool acts_as(const ir::Node& node, Container container) { return traits_of(node).container == container; }

// The items that the node appends to a list, its first argument; null for other nodes.
inline const ir::Node* put_behind(const ir::Node& node) {
  if (!acts_as(node, Container::Concat) || node.input_count() != 2) return nullptr;
  const ir::Node* items = node.input(1)->node();
  return items && acts_as(*items, Container::List) ? items : nullptr;
}

// The integers of a list; nullopt unless all are constant.
inline std::optional<std::vector<std::int64_t>> constant_integers(const ir::Value* list) {
  std::vector<std::int64_t> out;
  if (const ir::Constant* constant = list->constant()) {
    const auto* items = constant->get<ir::Constant::List>();
    if (!items) return std::nullopt;
    for (const ir::Constant& item : items->items) {
      if (!item.get<std::int64_t>()) return std::nullopt;
      out.push_back(*item.get<std::int64_t>());
    }
    return out;
  }
  if (!list->node() || !acts_as(*list->node(), Container::List)) return std::nullopt;
  for (const ir::Value* item : list->node()->inputs()) {
    const auto number = ir::constant_integer(item);
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

// True if the node builds a new list from a list's items.
inline bool gives_new_list(const ir::Node& node) {
  switch (traits_of(node).container) {
    case Container::Concat:
    case Container::Part:
    case Container::Copy:
    case Container::Sorted: return true;
    default: return false;
  }
}

}  // namespace tonnx::aten
