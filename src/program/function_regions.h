#pragma once

#include <functional>
#include <string>

#include "ir/graph.h"

namespace tonnx::program {

// Decides which functions of a recording (ir/function_region.h) are converted as a whole. Removes the marks of all
// others, so that only their operators remain. Called before all passes. `keep` is called with the name of a function.
// Throws Error(Code::Unsupported) if a function to keep returns memory that the program also writes to through another
// tensor, since a symbolic returns new tensors.
void resolve_functions(ir::Graph& graph, const std::function<bool(const std::string& name)>& keep);

}  // namespace tonnx::program
