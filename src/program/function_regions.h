#pragma once

#include <functional>
#include <string>

#include "ir/graph.h"

namespace tonnx::program {

// Decides which functions of a recording (ir/function_region.h) are converted as a whole: those for whose name `keep`
// returns true. Removes the marks of all others, so that only their operators remain. Called before all passes.
// Throws Error(Code::Unsupported) if a result of a function to keep has an alias that the program writes to, because a
// symbolic returns fresh tensors.
void resolve_functions(ir::Graph& graph, const std::function<bool(const std::string& name)>& keep);

}  // namespace tonnx::program
