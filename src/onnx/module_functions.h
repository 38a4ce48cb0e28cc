#pragma once

// Outlines module calls as local functions. Internal to src/onnx: includes protobuf headers.

#include "onnx/model_info.h"
#include "onnx/names.h"
#include "onnx/proto.h"

namespace tonnx::onnx {

// Moves the nodes of each call of a module of the classes `info.module_functions` ("Linear"; "*" for all but the
// outermost) from their
// graph, the model's or that of a branch or a loop, into a function, and inserts a call of it. Functions that are equal
// but for values of attributes are merged (CallFunctions). A call has the attributes of `info.module_attributes`, which
// its function does not use. Weights become inputs of the function; constants are copied
// into it. A call is split into several if a node between its nodes uses one of their results and feeds another.
// `model` has the graph's nodes in their order, and its opset imports.
void outline_modules(const ir::Graph& graph, const Names& names, const ModelInfo& info, pb::ModelProto& model);

}  // namespace tonnx::onnx
