#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/tensor.h"

namespace tonnx::verify {

// ONNX Runtime, loaded at run time: from $TONNX_ONNXRUNTIME if it is set, else from where tonnx was built with it, else
// by the loader's own search. It keeps its threads and its symbols to itself. All calls throw DependencyError if it
// cannot be loaded, is too old for the model or lacks a kernel for one of its operators, Error(Code::Verification) if
// it refuses the model or fails on the inputs, with its first line of text. Several sessions may run at once.
class Session {
 public:
  // Opens a model file, with its external data.
  explicit Session(const std::string& path);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<std::string>& input_names() const;
  const std::vector<std::string>& output_names() const;
  // Runs on one tensor per model input, in the model's order, or on `counts` of them, those of a sequence in a row;
  // gives one per output, of a sequence all its items, each with memory of its own; `given_counts` gets how many of
  // each output.
  std::vector<ir::Tensor> run(const std::vector<ir::Tensor>& inputs, const std::vector<std::size_t>& counts = {},
                              std::vector<std::size_t>* given_counts = nullptr) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tonnx::verify
