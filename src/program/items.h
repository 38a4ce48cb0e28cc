#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

// What constants say of the items of lists and tuples.
namespace tonnx::program {

// The integer that a value always is; nothing if it is none or not known. `value` may be null.
std::optional<std::int64_t> constant_integer(const ir::Value* value);

// The item of `count` that a constant index names, counted from the front; nothing if it is not known or outside.
std::optional<std::size_t> constant_index(const ir::Value* index, std::size_t count);

// The items of the new list that `node` (Container::Concat, Part or Copy) makes of those of its first argument and, of a
// Concat, `more` of its second. Nothing if that is not known.
std::optional<std::vector<ir::Value*>> items_of_new_list(const ir::Node& node, std::span<ir::Value* const> items,
                                                         std::optional<std::span<ir::Value* const>> more);

}  // namespace tonnx::program
