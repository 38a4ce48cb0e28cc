#pragma once

#include <string>

#include "ir/error.h"

namespace tonnx::ir {

// A library that is loaded on demand (LibTorch, ONNX Runtime) is missing, of another build, or too old for what is
// asked of it (Code::File); the message says where it was looked for, or which version it has.
class DependencyError : public Error {
 public:
  explicit DependencyError(const std::string& message) : Error(Code::File, message) {}
};

}  // namespace tonnx::ir
