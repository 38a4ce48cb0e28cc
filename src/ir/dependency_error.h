#pragma once

#include <string>

#include "ir/error.h"

namespace tonnx::ir {

// A library that is loaded on demand (LibTorch, ONNX Runtime) is missing, too old or of another build (Code::File); the message
// says where it was looked for.
class DependencyError : public Error {
 public:
  explicit DependencyError(const std::string& message) : Error(Code::File, message) {}
};

}  // namespace tonnx::ir
