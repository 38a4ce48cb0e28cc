#pragma once

#include <functional>
#include <unordered_set>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

namespace tonnx::torch {

// Visits the nodes of TorchScript code, including blocks, called code, and all methods of classes whose objects are
// created; each function once. Internal: includes LibTorch.
class CodeWalk {
 public:
  explicit CodeWalk(std::function<void(::torch::jit::Node&)> visit) : visit_(std::move(visit)) {}

  // Visits all methods of a class.
  void type(const c10::ClassType& type);
  void function(::torch::jit::Function& function);
  // Visits all methods of the classes of an object and of the objects in it, which a call through an interface may
  // reach.
  void object(const c10::IValue& value);

 private:
  void block(::torch::jit::Block& block);

  std::function<void(::torch::jit::Node&)> visit_;
  std::unordered_set<const void*> seen_;
};

}  // namespace tonnx::torch
