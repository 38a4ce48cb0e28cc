#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"

// Items of lists and tuples at constant indices.
namespace tonnx::program {

// True if a use only reads the list or dict, and does not pass the container itself on.
bool only_asks(const ir::Use& use);
// True if the reader puts the value into a container and passes it nowhere else, as setdefault() does.
bool is_put_away(const ir::Use& use);

// True if the node makes the operand an item of a list.
bool is_put_in_list(const ir::Node& node, std::size_t operand);

// The index from the front, of `count` items, that a constant index selects; empty if it is unknown or out of range.
std::optional<std::size_t> constant_index(const ir::Value* index, std::size_t count);

// The integers of a list; empty unless all are constant.
std::optional<std::vector<std::int64_t>> constant_integers(const ir::Value* list);

// The items in the order of list.sort(); empty unless all are constant numbers, or all strings.
std::optional<std::vector<ir::Value*>> sorted_items(std::vector<ir::Value*> items, bool reverse);

// The first item that surely equals `value`, which like all items before is a constant number or text.
std::optional<std::size_t> find_item(std::span<ir::Value* const> items, const ir::Value* value);

// The items of the new list that `node` (Container::Concat, Part, Copy or Sorted) creates from the items of its first
// argument and, for a Concat, from `more`, those of its second. Empty if they are not known.
std::optional<std::vector<ir::Value*>> items_of_new_list(const ir::Node& node, std::span<ir::Value* const> items,
                                                         std::optional<std::span<ir::Value* const>> more);

// The items after `node`, which changes the list that has `items`; `more` are those of the list that an Extend adds.
// Empty if they are not known.
std::optional<std::vector<ir::Value*>> changed_items(const ir::Node& node, aten::Container form,
                                                     std::vector<ir::Value*> items,
                                                     const std::vector<ir::Value*>* more);

// True if the node may change a list or dict of the type.
bool may_change(const ir::Node& node, const ir::Type& container);

}  // namespace tonnx::program
