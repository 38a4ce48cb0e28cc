#pragma once

#include "ir/graph.h"

namespace tonnx::exported {

// Mends the facts of a node's results where PyTorch's documents have another dtype or rank than the operator gives.
void correct_facts(ir::Node& node);

}  // namespace tonnx::exported
