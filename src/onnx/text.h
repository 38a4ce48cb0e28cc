#pragma once

#include <string>

#include "ir/graph.h"
#include "onnx/model_info.h"

namespace tonnx::onnx {

// The whole model in protobuf's text format, as in ModelProto::DebugString, but with a comment instead of the bytes of
// tensors larger than 64 bytes. Reads only the weights it prints.
std::string full_text(const ir::Graph& graph, const ModelInfo& info);

}  // namespace tonnx::onnx
