#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "program/edit.h"

// Helpers of replace_nested() for padded tensors, (batch, row, feature), and masks of their elements, (batch, row).
namespace tonnx::program {

constexpr std::int64_t kNestedRank = 3;

// Returns a (batch, row) mask for `t`: the first elements of each row, as many as `mask` has true ones there.
ir::Value* first_elements(Inserter& insert, ir::Value* t, ir::Value* mask);

// Returns x with `number` in place of padding.
ir::Value* with_padding(Inserter& insert, ir::Value* x, ir::Value* valid, ir::Value* number);

// Returns x cut at the end of its longest row.
ir::Value* up_to_longest(Inserter& insert, ir::Value* x, ir::Value* valid);

// Pads x with `number` at the end of each axis to the sizes in the list `sizes`. An axis for which `is_known_size` is
// true already has that size.
using IsKnownSize = std::function<bool(const ir::Value* sizes, std::int64_t axis)>;
ir::Value* resized(Inserter& insert, ir::Value* x, ir::Value* sizes, ir::Value* number,
                   const IsKnownSize& is_known_size);

// The constant argument `dim` of a node, an int or a list of one int; empty if it is something else.
std::optional<std::int64_t> axis_of(const ir::Node& node);

// True if the item of `sizes` for that axis is the same size of `source` (batch or rows only); `source` may be null.
bool is_size_of(const ir::Value* sizes, const ir::Value* source, std::int64_t axis);

}  // namespace tonnx::program
