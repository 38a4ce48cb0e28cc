#pragma once

#include <vector>

#include "export/axes.h"
#include "ir/graph.h"

namespace tonnx::exporting {

// Gives the open sizes of a program whose facts are told the names that axes have in the options, in all its values.
// Throws Error(Code::Argument) for an axis that is fixed in the program, whose size follows from others, or that would
// have the name of another size.
void name_open_sizes(ir::Graph& program, const std::vector<BoundAxis>& axes);

}  // namespace tonnx::exporting
