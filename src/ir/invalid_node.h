#pragma once

#include <string>

#include "ir/error.h"

namespace tonnx::ir {

// A node breaks the rules of its ONNX operator: its inputs, dtypes, shapes or attributes. The message has the rule.
// Thrown by Opset::infer(). Code::Internal, because the caller that made the node is at fault; only the caller knows
// whether a user asked for the node.
class InvalidNode final : public Error {
 public:
  explicit InvalidNode(const std::string& message) : Error(Code::Internal, message) {}
};

}  // namespace tonnx::ir
