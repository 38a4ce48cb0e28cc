#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "export/exporter.h"
#include "export/loaded_program.h"
#include "ir/observer.h"
#include "verify/compare.h"
#include "verify/runtime.h"

namespace tonnx::exporting {

using OperatorTolerances = std::map<std::string, verify::Limits>;  // by the name of the operator

// How to compare a model with its program; sizes are by symbol.
struct VerifyOptions {
  // Made from options.json by scripts/options.py.
  // Relative tolerance: |model - program| <= atol + rtol * |program|. Negative: the default. Integers are compared
  // exactly.
  double rtol = -1;
  // Absolute tolerance, added to rtol * |program|. Negative: the default.
  double atol = -1;
  // Tolerances of the results of an operator, by its name ('aten::gelu', or 'aten::add.Tensor' for one overload):
  // outputs of the model that it makes, also through views, but not through a branch or another operator; and, in a
  // search for the operators that differ, the results of each part that it makes. A negative value means rtol or atol.
  // Lists of tuples or dicts have none. A verification warns of a tolerance that no output uses.
  OperatorTolerances operator_tolerances;
  // Share of the elements of an output that may differ by more than the tolerances, from 0 to 1.
  double accepted_share = -1;
  // Compare dtypes. If off, an output may have another dtype of the same kind, and its values are compared.
  bool check_dtype = true;
  // Compare shapes. If off, an output may have another shape with the same number of elements, which are compared in
  // order.
  bool check_shape = true;
  // Execution provider of ONNX Runtime: 'cpu' or 'cuda', which needs an ONNX Runtime that has it. Empty: the CPU.
  std::string provider = "";
  // Shared library with custom operators for ONNX Runtime (RegisterCustomOps), which runs the model.
  std::vector<std::string> runtime_libraries;
  // Size of a dynamic axis, by its symbol, in the second run.
  std::map<std::string, std::int64_t> sizes;
  // Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one at size 1.
  bool other_sizes = true;
  // When searching for the operators that differ, also compare every operator alone, on LibTorch's values. This finds
  // differences that the outputs hide.
  bool every_operator = false;
  // Made until here.
  // Receives the events of the calls with these options; may be null.
  std::shared_ptr<ir::Observer> observer;
};

// Runs the model in ONNX Runtime, from a temporary file, and compares it with LibTorch's results: on the example inputs
// and, if it has dynamic axes, on inputs of other sizes that the program accepts. If no inputs are passed, those of the
// program are used. Other inputs for an archive are slices of the example, repeated; for a trace the results of its
// runs are used, so one recorded in a single run has no others. Returns a line for each thing that could not be
// verified: other sizes at which LibTorch itself does not run. Throws Error(Code::Verification), with the sizes if they
// are not the example's, and Error(Code::Argument) for sizes of an axis that is not dynamic or at which a trace was not
// run, and for a model that does not store its weights.
std::vector<std::string> verify_model(const Model& model, const LoadedProgram& source, const ir::Arguments& arguments,
                                      const VerifyOptions& options);

// The last comparison of a verification.
struct Compared {
  std::string error;  // how they differ; empty if they agree
  std::vector<ir::Tensor> inputs;
  std::vector<ir::Tensor> expected;   // LibTorch's results
  std::vector<std::string> warnings;  // warnings as returned by verify_model()
};
// Same as verify_model(); returns the inputs on which they differ, or else the example's. A model that ONNX Runtime
// rejects counts as a difference.
Compared compare_model(const Model& model, const LoadedProgram& source, const ir::Arguments& arguments,
                       const VerifyOptions& options);

// How ONNX Runtime opens the models of a verification.
verify::SessionOptions session_options(const VerifyOptions& options);
// The same for a model of this size that runs on these inputs: with one thread if both are small.
verify::SessionOptions session_options(const VerifyOptions& options, std::uint64_t model_bytes,
                                       std::span<const ir::Tensor> inputs);
// How the outputs are compared. Throws Error(Code::Argument) for numbers out of range.
verify::Tolerance tolerance(const VerifyOptions& options, ir::DType loosest);
// The operator_tolerances of results, by the names of the operators that make them (output_operators).
std::vector<verify::Limits> limits_of(const VerifyOptions& options,
                                      std::span<const std::vector<std::string>> operators);

// The loosest floating dtype in a model. If an input is on an accelerator, LibTorch may multiply float32 as TF32, whose
// mantissa has the size of float16's, so float16 is returned.
ir::DType loosest_dtype(const ir::Graph& model, const std::vector<ir::Tensor>& inputs);

}  // namespace tonnx::exporting
