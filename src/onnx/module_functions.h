#pragma once

// Calls of modules as local functions. Internal to src/onnx: it shows protobuf headers.

#include <string>
#include <vector>

#include "onnx/names.h"
#include "onnx/proto.h"

namespace tonnx::onnx {

// The domain of functions made of modules; version 1.
inline constexpr const char* kModuleDomain = "tonnx.modules";

// Moves the nodes of each call of a module of one of these classes ("Linear"; "*" for all but the outermost) out of the
// graph that they stand in, the model's or that of a branch or a loop, into a function, and leaves a call of it. Equal
// functions are one. Weights that they read are inputs of theirs, constants stand in each of them. A call whose nodes
// cannot be run in one go, as something between them reads one and gives another, becomes several. `model` has the
// graph's nodes in their order, and its opset imports.
void outline_modules(const ir::Graph& graph, const Names& names, const std::vector<std::string>& classes,
                     pb::ModelProto& model);

}  // namespace tonnx::onnx
