#pragma once

#include <string>

#include "ir/graph.h"
#include "onnx/model_info.h"

namespace tonnx::onnx {

// The whole model in protobuf's text format, as ModelProto's DebugString has it, but for the bytes of tensors of more
// than 64 bytes: a comment tells how many there are. Reads no weight's bytes but those it shows.
std::string full_text(const ir::Graph& graph, const ModelInfo& info);

}  // namespace tonnx::onnx
