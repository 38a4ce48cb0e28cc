#pragma once

#include <functional>
#include <unordered_set>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

namespace tonnx::torch {

// Visits the nodes of TorchScript code, those of blocks, of code that is called and of all methods of classes whose
// objects are made included; each function once. Internal: includes LibTorch.
class CodeWalk {
 public:
  explicit CodeWalk(std::function<void(::torch::jit::Node&)> visit) : visit_(std::move(visit)) {}

  // All methods of a class.
  void type(const c10::ClassType& type);
  void function(::torch::jit::Function& function);
  // All methods of the classes of an object and of those that it holds: what a call through an interface may come to.
  void object(const c10::IValue& value);

 private:
  void block(::torch::jit::Block& block);

  std::function<void(::torch::jit::Node&)> visit_;
  std::unordered_set<const void*> seen_;
};

}  // namespace tonnx::torch
