#pragma once

#include <string>

#include "ir/graph.h"

namespace tonnx::program {

// Which branches that always raise fold_control_flow() drops: all; all except checks of a rank that is still unknown;
// or none, so that infer_facts() reports those that the example inputs reach.
enum class Raising { Drop, DropSettled, Keep };

// True if every run that enters the block raises an exception.
bool always_raises(const ir::Block& block);

// The message of a prim::RaiseException; empty if it is not constant.
std::string message_raised(const ir::Node& raise);

// Inserts a prim::RaiseException with this message before the node, so that no run reaches the node.
void raise_before(ir::Node& node, const std::string& message = {});

}  // namespace tonnx::program
