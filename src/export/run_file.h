#pragma once

#include <string>
#include <vector>

#include "export/verify_model.h"
#include "ir/constant.h"

namespace tonnx::exporting {

struct FileResults {
  std::vector<std::string> names;  // of the outputs; NAME.0, NAME.1, ... for the items of a sequence
  std::vector<ir::Tensor> tensors;
};

// Runs a model file in ONNX Runtime. Arguments go to the model's inputs by position or, as keywords, by name; a list of
// tensors is a sequence, a number a rank-0 tensor. Uses the provider and the libraries of `options`. Throws the errors
// of verify::Session, and Error(Code::Argument) for inputs that are missing or unknown.
FileResults run_file(const std::string& path, const ir::Arguments& arguments, const VerifyOptions& options);

// A tensor, or a number as a rank-0 tensor of int64, float64 or bool. Throws Error(Code::Argument) for other values.
ir::Tensor tensor_of(const ir::Constant& value);

}  // namespace tonnx::exporting
