#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/tensor.h"

namespace tonnx::verify {

struct SessionOptions {
  std::string provider;                // "cpu" or "cuda"; empty: the CPU
  std::vector<std::string> libraries;  // with custom operators
  std::string spare_library = {};      // one that is loaded only if the others lack an operator of the model
  bool one_thread = false;             // no thread pool, whose start takes longer than a small model's run
};

// ONNX Runtime, loaded at run time: from $TONNX_ONNXRUNTIME if it is set, else from the path that tonnx was built with,
// else by the loader's search. Its threads and symbols are private. All calls throw DependencyError if it cannot be
// loaded or is too old for the model, MissingKernelError if it lacks a kernel for an operator, and
// Error(Code::Verification), with the first line of its message, if it rejects the model or fails on the inputs.
// Throws Error(Code::File) if the file is missing or not a model, Error(Code::Argument) for an unknown provider,
// DependencyError for one that it lacks, and Error(Code::File) for a library that it cannot load. Several sessions may
// run at once.
class Session {
 public:
  // Opens a model file and its external data.
  explicit Session(const std::string& path, const SessionOptions& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<std::string>& input_names() const;
  const std::vector<std::string>& output_names() const;
  // Runs the model on one tensor per model input, in the model's order, or on `counts` tensors per input, since a
  // sequence has several. Returns one tensor per output, or all items of a sequence, each with its own memory;
  // `given_counts` receives the number of tensors of each output.
  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs, const std::vector<std::size_t>& counts = {},
                              std::vector<std::size_t>* given_counts = nullptr) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tonnx::verify
