#pragma once

#include <string>

#include "ir/graph.h"

namespace tonnx::program {

// Which branches that only raise fold_control_flow() keeps: none, those that check a rank which is not known yet, or
// all (infer_facts() then reports those that the example inputs reach).
enum class Raising { Drop, DropSettled, Keep };

// True if every run that enters the block raises an exception.
bool always_raises(const ir::Block& block);

// The message of a prim::RaiseException; empty if it is computed.
std::string message_raised(const ir::Node& raise);

// Inserts an exception with a message, or an empty one, before the node, so that no run reaches the node.
void raise_before(ir::Node& node, const std::string& message = {});

}  // namespace tonnx::program
