#pragma once

#include <map>
#include <string>
#include <vector>

#include "export/axes.h"
#include "export/resize.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// Renames dynamic sizes of a program with known facts to the symbols that the options specify, in all values. Throws
// Error(Code::Argument) for an axis that is fixed in the program, whose size depends on other sizes, or whose symbol
// would be the name of another size. Returns the new names by the program's names.
std::map<std::string, ir::Polynomial> rename_symbols(ir::Graph& program, const std::vector<BoundAxis>& axes);

// Removes the input axes that such a program fixes from `axes`, with a warning for each.
void drop_fixed_axes(const ir::Graph& program, std::vector<BoundAxis>& axes, std::vector<std::string>& warnings);

// The axes of a program's inputs whose sizes are symbols or expressions of symbols.
std::vector<InputAxis> sized_axes(const ir::Graph& program);

}  // namespace tonnx::exporting
