#pragma once

#include <map>
#include <string>
#include <vector>

#include "export/axes.h"
#include "export/resize.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// Gives the open sizes of a program whose facts are told the names that axes have in the options, in all its values.
// Throws Error(Code::Argument) for an axis that is fixed in the program, whose size follows from others, or that would
// have the name of another size. Returns the new names by the program's own.
std::map<std::string, ir::Polynomial> name_open_sizes(ir::Graph& program, const std::vector<BoundAxis>& axes);

// Takes the input axes that such a program fixes from `axes`, with a warning for each.
void drop_fixed_axes(const ir::Graph& program, std::vector<BoundAxis>& axes, std::vector<std::string>& warnings);

// The axes of a program's inputs whose sizes are symbols or follow from symbols.
std::vector<InputAxis> sized_axes(const ir::Graph& program);

}  // namespace tonnx::exporting
