#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::aten {

// What is known of a node's results from the facts of its arguments, one per output: the operators that program passes
// make, and numbers. Facts that cannot be told are empty, and each that is told holds in every run. Thread-safe.
std::vector<ir::Facts> result_facts(const ir::Node& node);

}  // namespace tonnx::aten
