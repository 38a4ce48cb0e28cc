#pragma once

#include <cstddef>
#include <vector>

#include "ir/constant.h"
#include "ir/raw_program.h"
#include "program/symbols.h"

// Lists of tensors among a program's arguments as one input each, of any length.
namespace tonnx::exporting {

// Makes the inputs that a list's items are one input of list type, called as the argument; its facts are those that all
// items of the example share. `program.inputs` stays flat. Throws Error(Code::Argument) for a list that is empty in the
// example, or holds tensors of several dtypes or ranks.
void join_lists(ir::RawProgram& program);

// One per input of the program: the example's tensor, or the list of those of a list.
std::vector<ir::Constant> example_constants(const ir::RawProgram& program);

// How many of the flat tensors each input of a model takes; `lists` are those of the program.
std::vector<std::size_t> item_counts(const std::vector<ir::ListArgument>& lists, std::size_t tensors);

// Axes of inputs as axes of flat tensors, the axis of a list being one of each item.
std::vector<program::InputAxis> axes_of_items(const std::vector<program::InputAxis>& axes,
                                              const std::vector<std::size_t>& counts);

}  // namespace tonnx::exporting
