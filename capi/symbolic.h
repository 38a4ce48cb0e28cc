#pragma once

#include <memory>

#include "handles.h"
#include "ir/invalid_node.h"
#include "lower/loop.h"
#include "lower/unlike_dtypes.h"

namespace tonnx::capi {

// Wraps a user's C callback as a lowering. The user data lives as long as any registry or export that holds it.
lower::Symbolic make_symbolic(tonnx_symbolic_fn function, std::shared_ptr<void> user_data);

// Refuses a sub-graph that nodes can no longer be added to.
void require_open(const tonnx_graph* graph);

// Calls `make` with the builder of the graph, which appends to the graph.
auto in_graph(tonnx_graph& graph, const auto& make) {
  lower::Builder& builder = graph.op->builder();
  const lower::Inside inside(builder, graph.block);
  return make(builder);
}

// "argument 'dim' of aten::softmax", or "the value".
std::string name_of(const tonnx_value& value);

// Calls `make`; an error of it that ONNX's rules cause is a mistake of the caller (Code::Argument).
auto as_callers(const auto& make) {
  try {
    return make();
  } catch (const lower::UnlikeDtypes& error) {
    throw ir::Error(ir::Code::Argument, error.what());
  } catch (const ir::InvalidNode& error) {
    throw ir::Error(ir::Code::Argument, error.what());
  }
}

// Returns the value as one of the graph under construction; a constant becomes a Constant node. Throws
// Error(Code::Argument) for a list, for a value of another graph, and for one that is not visible in this sub-graph.
ir::Value* as_tensor(tonnx_graph& graph, tonnx_value& value);

// Returns the handle of a value that the symbolic made or received.
tonnx_value* wrap(tonnx_graph& graph, ir::Value* value);

}  // namespace tonnx::capi
