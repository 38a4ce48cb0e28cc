#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::exported {

// The weights and inputs of a program that its operators write to, each once, in the order of the writes; one that may be a
// copy counts, too.
std::vector<ir::Value*> written_values(const ir::Graph& program);

}  // namespace tonnx::exported
