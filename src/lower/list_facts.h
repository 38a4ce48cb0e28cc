#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lower/op.h"

// Facts of the items of lists, derived from the program, for lists that cross branches and loops.
namespace tonnx::lower {

// The facts of each item of a list whose length is the same in every run and in every iteration; else nullopt. An item
// that varies between runs or iterations has the join of its facts.
std::optional<std::vector<ir::Facts>> static_items(const Op& op, const ir::Value* list);

// The join of the facts of all items of a list; the dtype is undefined if nothing is ever inserted.
ir::Facts any_item(const Op& op, const ir::Value* list);
// The same for a value that may be any of several lists.
ir::Facts any_item(const Op& op, std::span<const ir::Value* const> lists);

// The dtype of a scalar by its type, else by its facts; Undefined if neither specifies it.
DType number_dtype(const ir::Type& type, const ir::Facts& facts);
// The dtype of the scalars in a list; refuses if unknown.
DType numbers_in(Op& op, const ir::Value* list);

// True if the list is a constant or has a static length in the model.
bool is_static(Op& op, const ir::Value* list);
// A list of tensors as an ONNX sequence; refuses a list whose items have an unknown dtype.
Value* as_sequence(Op& op, const ir::Value* list);

}  // namespace tonnx::lower
