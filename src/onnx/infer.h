#pragma once

// Type and shape inference of one node. Internal to src/onnx.

#include <vector>

#include <onnx/shape_inference/implementation.h>

#include "ir/opset.h"
#include "onnx/proto.h"

namespace tonnx::onnx {

// An operator at one opset, with what inference needs from its schema.
struct Operator {
  ir::OpDef definition;
  std::vector<bool> homogeneous;  // for each formal input: variadic, and its items have the same type
  const pb::OpSchema* schema = nullptr;
  pb::InferenceFunction inference;  // empty if neither the schema nor own_rule() has one
};

// A rule for an operator whose schema has none (or only a function body, which loses the shape); else empty.
pb::InferenceFunction own_rule(const std::string& op);

// Refines the facts of the node's outputs, and of the values in its blocks. Contract: ir::Opset::infer.
void infer(ir::Node& node, const Operator& op, const ir::Opset& opset);

// The same for a call of a function. `functions`: those that its body may call. `is_closed`: all of the body's types
// can be inferred, so that an error of inference is one of the call.
void infer_call(ir::Node& node, const pb::FunctionProto& body, bool is_closed,
                const pb::shape_inference::ModelLocalFunctionsMap& functions, const ir::Opset& opset);

}  // namespace tonnx::onnx
