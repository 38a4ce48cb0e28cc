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

// An operator of LibTorch (dispatcher or TorchScript run time), or one that only has a rule.
struct Operator {
  std::optional<c10::OperatorHandle> handle;   // set for an operator of the dispatcher
  std::function<void(c10::Stack&)> operation;  // set for an operator of TorchScript alone
  const c10::FunctionSchema* schema = nullptr;
  Rule rule = nullptr;
  bool is_random = false;
  bool is_uninitialised = false;     // returns uninitialised memory
  bool is_data_dependent = false;    // tagged so by LibTorch
  bool returns_tensors = false;      // a result is a tensor or a list of tensors
  std::vector<std::size_t> writes;   // arguments that it writes to
  std::vector<std::size_t> devices;  // arguments that are devices
  std::vector<std::size_t> pins;     // arguments that request pinned memory

  bool can_run() const { return handle.has_value() || operation; }
  // Replaces the arguments on the stack by the results.
  void call(c10::Stack& stack) const;
};

// Cache of operators by node kind and schema.
class OperatorTable {
 public:
  // Returns the operator of a node, or null if LibTorch does not know it and there is no rule. `arguments` select the
  // overload for a node without a schema.
  const Operator* find(const ir::Node& node, c10::ArrayRef<c10::IValue> arguments);

 private:
  std::unordered_map<std::string, std::unique_ptr<Operator>> operators_;
  std::unordered_map<const ir::Meaning*, const Operator*> by_meaning_;  // those of nodes with a schema
};

// Converts arguments to the types of the schema: numbers to tensors, ints to floats, lists to the element type; adds
// defaults for missing arguments. Lists of the right type keep their identity. Returns false if a required argument is
// missing.
bool complete_arguments(const c10::FunctionSchema& schema, c10::Stack& stack);

}  // namespace tonnx::torch
