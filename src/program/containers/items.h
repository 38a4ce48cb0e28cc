#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"

// Items of lists and tuples at constant indices.
namespace tonnx::program {

// True if the use only reads the list or dict, and no result may be the container itself.
bool only_asks(const ir::Use& use);
// True if the node stores the value in a container and does not return it. False for setdefault(), which returns it.
bool is_put_away(const ir::Use& use);

// True if the node stores the operand in a list.
bool is_put_in_list(const ir::Node& node, std::size_t operand);

// The non-negative equivalent of a constant index into `count` items; empty if it is unknown or out of range.
std::optional<std::size_t> constant_index(const ir::Value* index, std::size_t count);

// The items in the order of list.sort(); empty unless all are constant numbers, or all strings.
std::optional<std::vector<ir::Value*>> sorted_items(std::vector<ir::Value*> items, bool reverse);

// The index of the first item equal to `value`. Empty if there is none, or if `value` or an item before it is not a
// constant number or string of the same type.
std::optional<std::size_t> find_item(std::span<ir::Value* const> items, const ir::Value* value);

// The items of the new list that `node` (Container::Concat, Part, Copy or Sorted) creates. `items` are those of its
// first argument; `more`, for a Concat, those of its second. Empty if the result is not known.
std::optional<std::vector<ir::Value*>> items_of_new_list(const ir::Node& node, std::span<ir::Value* const> items,
                                                         std::optional<std::span<ir::Value* const>> more);

// The items of a list after `node` changes it; `items` are those before. `more`: the items that an Extend adds; null if
// they are unknown. Empty if the result is not known.
std::optional<std::vector<ir::Value*>> changed_items(const ir::Node& node, aten::Container operation,
                                                     std::vector<ir::Value*> items,
                                                     const std::vector<ir::Value*>* more);

// True if the node, or one in its blocks, may change a list or dict of the type.
bool may_change(const ir::Node& node, const ir::Type& container);

}  // namespace tonnx::program
