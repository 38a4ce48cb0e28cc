#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aten/traits.h"
#include "ir/graph.h"

// What constants say of the items of lists and tuples.
namespace tonnx::program {

// Whether a use of a list or dict reads of it, and hands the container itself on to nobody.
bool only_asks(const ir::Use& use);
// Whether the reader puts the value into a container and gives it to nobody else, as setdefault() does.
bool is_put_away(const ir::Use& use);

// Whether the node makes the operand an item of a list.
bool is_put_in_list(const ir::Node& node, std::size_t operand);

// The item of `count` that a constant index names, counted from the front; nothing if it is not known or outside.
std::optional<std::size_t> constant_index(const ir::Value* index, std::size_t count);

// The integers of a list; nothing unless all are constant.
std::optional<std::vector<std::int64_t>> constant_integers(const ir::Value* list);

// The items in the order of list.sort(); nothing unless all are constant numbers, or all texts.
std::optional<std::vector<ir::Value*>> sorted_items(std::vector<ir::Value*> items, bool reverse);

// The first item that surely equals `value`, which like all items before is a constant number or text.
std::optional<std::size_t> find_item(std::span<ir::Value* const> items, const ir::Value* value);

// The items of the new list that `node` (Container::Concat, Part, Copy or Sorted) makes of those of its first argument
// and, of a Concat, `more` of its second. Nothing if that is not known.
std::optional<std::vector<ir::Value*>> items_of_new_list(const ir::Node& node, std::span<ir::Value* const> items,
                                                         std::optional<std::span<ir::Value* const>> more);

// The items after `node`, which changes the list that has `items`; `more` are those of the list that an Extend adds.
// Nothing if they are not known.
std::optional<std::vector<ir::Value*>> changed_items(const ir::Node& node, aten::Container form,
                                                     std::vector<ir::Value*> items,
                                                     const std::vector<ir::Value*>* more);

// Whether the node may change a list or dict of the type.
bool may_change(const ir::Node& node, const ir::Type& container);

}  // namespace tonnx::program
