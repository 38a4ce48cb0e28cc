#pragma once

#include <string>

#include "ir/error.h"

namespace tonnx::ir {

// A library that is loaded on demand (LibTorch, ONNX Runtime) is missing, of another build, or too old for the request
// (Code::File). The message lists the paths that were tried, or the version found.
class DependencyError : public Error {
 public:
  explicit DependencyError(const std::string& message) : Error(Code::File, message) {}
};

// ONNX Runtime has no kernel for an operator of the model with its dtypes and opset.
class MissingKernelError : public DependencyError {
 public:
  using DependencyError::DependencyError;
};

}  // namespace tonnx::ir
