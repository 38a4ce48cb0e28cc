#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "program/edit.h"

// What replace_nested() computes of padded tensors, (batch, row, feature), and of masks of their elements, (batch,
// row).
namespace tonnx::program {

constexpr std::int64_t kNestedRank = 3;

// Which elements of rows as long as those of `t` a mask stands for: the first ones of each row, as many as it has true
// elements.
ir::Value* first_elements(Inserter& insert, ir::Value* t, ir::Value* mask);

// x, with `number` in place of padding.
ir::Value* with_padding(Inserter& insert, ir::Value* x, ir::Value* valid, ir::Value* number);

// x up to the end of its longest row.
ir::Value* up_to_longest(Inserter& insert, ir::Value* x, ir::Value* valid);

// x with `number` after each axis up to the sizes that the list of them names. Those of which `is_known_size` is true
// are its own sizes.
using IsKnownSize = std::function<bool(const ir::Value* sizes, std::int64_t axis)>;
ir::Value* resized(Inserter& insert, ir::Value* x, ir::Value* sizes, ir::Value* number,
                   const IsKnownSize& is_known_size);

// The axis, or list of one axis, that a node works along; nothing where it is not known.
std::optional<std::int64_t> axis_of(const ir::Node& node);

// Whether a list of sizes names the batch or the rows of `source` for that axis; `source` may be null.
bool is_size_of(const ir::Value* sizes, const ir::Value* source, std::int64_t axis);

}  // namespace tonnx::program
