#pragma once

// Outlines module calls as local functions. Internal to src/onnx: includes protobuf headers.

#include <string>
#include <vector>

#include "onnx/names.h"
#include "onnx/proto.h"

namespace tonnx::onnx {

// Moves the nodes of each call of a module of one of these classes ("Linear"; "*" for all but the outermost) from their
// graph, the model's or that of a branch or a loop, into a function, and inserts a call of it. Functions that are equal
// but for values of attributes are merged (CallFunctions). Weights become inputs of the function; constants are copied
// into it. A call is split into several if a node between its nodes uses one of their results and feeds another.
// `model` has the graph's nodes in their order, and its opset imports.
void outline_modules(const ir::Graph& graph, const Names& names, const std::vector<std::string>& classes,
                     pb::ModelProto& model);

}  // namespace tonnx::onnx
