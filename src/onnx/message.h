#pragma once

// Converts the graph to ONNX messages. Internal to src/onnx: includes protobuf headers.

#include "onnx/model_info.h"
#include "onnx/names.h"
#include "onnx/proto.h"

namespace tonnx::onnx {

// info.ir_version, or the lowest the opset needs.
int effective_ir_version(const ModelInfo& info);

// The whole model without its initializers. Throws as documented in writer.h.
void to_proto(const ir::Graph& graph, const ModelInfo& info, const Names& names, pb::ModelProto& out);

// A weight's message without its bytes.
void to_proto(const ir::Value& weight, const Names& names, pb::TensorProto& out);

void to_proto(const ir::Value& value, const Names& names, pb::ValueInfoProto& out);

}  // namespace tonnx::onnx
