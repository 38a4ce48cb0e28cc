#pragma once

#include <string>

#include "ir/graph.h"

namespace tonnx::program {

// Whether whoever enters the block ends with an exception.
bool always_raises(const ir::Block& block);

// What prim::RaiseException says; empty where that is computed.
std::string message_raised(const ir::Node& raise);

// Puts an exception before the node, which no run then comes to.
void raise_before(ir::Node& node);

}  // namespace tonnx::program
