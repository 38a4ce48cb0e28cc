#pragma once

#include <memory>

#include "handles.h"

namespace tonnx::capi {

// Wraps a user's C callback as a lowering. The user data lives as long as any registry or export that holds it.
lower::Symbolic make_symbolic(tonnx_symbolic_fn function, std::shared_ptr<void> user_data);

// Returns the value as one of the graph under construction; a constant becomes a Constant node. Throws
// Error(Code::Argument) for a list, and for a value of another graph.
ir::Value* as_tensor(tonnx_graph& graph, tonnx_value& value);

// Returns the handle of a value that the symbolic made or received.
tonnx_value* wrap(tonnx_graph& graph, ir::Value* value);

}  // namespace tonnx::capi
