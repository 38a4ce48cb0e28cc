#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

#include "ir/graph.h"
#include "torch/meta_rule.h"

namespace tonnx::torch {

// An operator of LibTorch (dispatcher or TorchScript run time), or one that is known by a rule alone.
struct Operator {
  std::optional<c10::OperatorHandle> handle;   // set: an operator of the dispatcher
  std::function<void(c10::Stack&)> operation;  // set: one of TorchScript alone
  const c10::FunctionSchema* schema = nullptr;
  Rule rule = nullptr;
  bool is_random = false;
  bool is_uninitialised = false;     // gives memory with no defined content
  bool is_data_dependent = false;    // tagged so by LibTorch
  bool gives_tensors = false;        // a tensor or list of tensors is among its results
  std::vector<std::size_t> writes;   // arguments it writes to
  std::vector<std::size_t> devices;  // arguments that are devices
  std::vector<std::size_t> pins;     // arguments that ask for pinned memory

  bool can_run() const { return handle.has_value() || operation; }
  // Replaces the arguments on the stack by the results.
  void call(c10::Stack& stack) const;
};

// Operators by node kind and schema, looked up once.
class OperatorTable {
 public:
  // The operator of a node, or null if LibTorch knows none and there is no rule. `arguments` choose the overload of a
  // node without a schema.
  const Operator* find(const ir::Node& node, c10::ArrayRef<c10::IValue> arguments);

 private:
  std::unordered_map<std::string, std::unique_ptr<Operator>> operators_;
};

// Brings arguments into the form the schema asks for: numbers as tensors where it wants tensors, ints as floats, lists
// with the right element type, defaults for arguments left out. Lists of the right type keep their identity. False if a
// required argument is missing.
bool complete_arguments(const c10::FunctionSchema& schema, c10::Stack& stack);

}  // namespace tonnx::torch
