#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "export/exporter.h"
#include "export/loaded_program.h"

namespace tonnx::exporting {

// How a model is compared with its program; sizes are by symbol.
struct VerifyOptions {
  // Made from options.json by scripts/options.py.
  // Relative tolerance: |model - program| <= atol + rtol * |program|. Negative: the default. Integers are compared
  // exactly.
  double rtol = -1;
  // Absolute tolerance, added to rtol * |program|. Negative: the default.
  double atol = -1;
  // Size of a dynamic axis, by its symbol, in the second run.
  std::map<std::string, std::int64_t> sizes;
  // Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one at size 1.
  bool other_sizes = true;
  // When searching for the operators that differ, also compare every operator alone, on LibTorch's values. This finds
  // differences that the outputs hide.
  bool every_operator = false;
  // Made until here.
};

// Runs the model in ONNX Runtime, through a temporary file, and compares with LibTorch's results: on the example inputs
// and, where it has dynamic axes, on inputs of other sizes, within those that the program takes. Where no inputs are
// given, those that came with the program are taken. An archive is run on the example's slices over again; a trace's
// other runs were kept when it was made, but one that was recorded in a single run has none. Returns what could not be
// verified, one line each: other sizes at which LibTorch itself does not run. Throws Error(Code::Verification), naming
// the sizes where they are not the example's, and Error(Code::Argument) for sizes of an axis that is not dynamic, or at
// which a trace was not run, and for a model that does not store its weights.
std::vector<std::string> verify_model(const Model& model, const LoadedProgram& source, const ir::Arguments& arguments,
                                      const VerifyOptions& options);

// What a verification compared last.
struct Compared {
  std::string error;  // how they differ; empty where they agree
  std::vector<ir::Tensor> inputs;
  std::vector<ir::Tensor> expected;   // LibTorch's results
  std::vector<std::string> warnings;  // what verify_model() would return
};
// The same: where they differ, on the inputs on which they do, else on the example's. ONNX Runtime's refusal of a model
// is a difference.
Compared compare_model(const Model& model, const LoadedProgram& source, const ir::Arguments& arguments,
                       const VerifyOptions& options);

// The loosest of the dtypes in a model. On inputs of which one lies on an accelerator LibTorch may multiply float32 as
// TF32, whose mantissa is float16's, and that dtype stands for it.
ir::DType loosest_dtype(const ir::Graph& model, const std::vector<ir::Tensor>& inputs);

}  // namespace tonnx::exporting
