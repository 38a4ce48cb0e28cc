#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::exported {

// The names of the weights and inputs of a program that its operators write to, each once, in the order of the writes; one
// that may be a copy counts, too.
std::vector<std::string> written_names(const ir::Graph& program);

}  // namespace tonnx::exported
