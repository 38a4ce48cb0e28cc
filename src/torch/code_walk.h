#pragma once

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <functional>
#include <unordered_set>

namespace tonnx::torch {

// Visits the nodes of TorchScript code, those of blocks and of code that is called included; each function once.
// Internal: includes LibTorch.
class CodeWalk {
 public:
  explicit CodeWalk(std::function<void(const ::torch::jit::Node&)> visit) : visit_(std::move(visit)) {}

  // All methods of a class.
  void type(const c10::ClassType& type);
  void function(::torch::jit::Function& function);

 private:
  void block(const ::torch::jit::Block& block);

  std::function<void(const ::torch::jit::Node&)> visit_;
  std::unordered_set<const void*> seen_;
};

}  // namespace tonnx::torch
