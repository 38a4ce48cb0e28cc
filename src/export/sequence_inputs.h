#pragma once

#include <cstddef>
#include <vector>

#include "ir/constant.h"
#include "ir/raw_program.h"
#include "program/facts/symbols.h"

// Turns a list of tensors among the arguments into one input of any length.
namespace tonnx::exporting {

// Replaces the inputs for the items of a list by one input of list type with the name of the argument. Its facts are
// those that all items of the example share. `program.inputs` stays flat. Throws Error(Code::Argument) for a list that
// is empty in the example, or has tensors of different dtypes or ranks.
void join_lists(ir::RawProgram& program);

// One per input of the program: the example's tensor, or the list of its items.
std::vector<ir::Constant> example_constants(const ir::RawProgram& program);

// Number of flat tensors for each input of a model; `lists` are those of the program.
std::vector<std::size_t> item_counts(const std::vector<ir::TensorList>& lists, std::size_t tensors);

// Converts axes of inputs to axes of flat tensors; an axis of a list becomes an axis of each item.
std::vector<program::InputAxis> axes_of_items(const std::vector<program::InputAxis>& axes,
                                              const std::vector<std::size_t>& counts);

}  // namespace tonnx::exporting
