#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lower/op.h"

// What the program's text tells of lists, for values that branches and loops hand on.
namespace tonnx::lower {

// The facts of every item of a list whose length is the same in every run, inside a loop in every turn; nullopt where
// it is not. Items that differ from run to run or turn to turn have the facts that all of them share.
std::optional<std::vector<ir::Facts>> static_items(const Op& op, const ir::Value* list);

// The facts that all the items of a list share; the dtype is undefined where nothing is ever put into it.
ir::Facts any_item(const Op& op, const ir::Value* list);
// The same for several lists of which a value is one.
ir::Facts any_item(const Op& op, std::span<const ir::Value* const> lists);

// The dtype of a number by its type, else by its facts; Undefined where neither tells.
DType number_dtype(const ir::Type& type, const ir::Facts& facts);
// That of the numbers in a list; refuses where nothing tells.
DType numbers_in(Op& op, const ir::Value* list);

// Whether the list is a constant or of static length in the model.
bool is_static(Op& op, const ir::Value* list);
// A list of tensors as an ONNX sequence; refuses one whose items have no known dtype.
Value* as_sequence(Op& op, const ir::Value* list);

}  // namespace tonnx::lower
