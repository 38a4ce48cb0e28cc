#pragma once

#include <vector>

#include "ir/facts_view.h"
#include "ir/graph.h"

namespace tonnx::aten {

// Infers the facts of a node's results from the known facts of its arguments, one for each output. Supports operators
// that program passes create, and scalars. Unknown facts are empty; known ones hold in every run. Thread-safe.
std::vector<ir::Facts> result_facts(const ir::Node& node, const ir::FactsView& known = {});

}  // namespace tonnx::aten
