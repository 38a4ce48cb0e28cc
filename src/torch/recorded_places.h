#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include <torch/csrc/jit/ir/ir.h>

#include "torch/trace_memory.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// Locations of operators in a recording, for a host whose code has no lines that a tracer can see.
class RecordedPlaces {
 public:
  RecordedPlaces(::torch::jit::Graph& graph, const TraceMemory& memory);

  // "operator 3 of the recording, on input 'x' float32[2,3], the float32[2,4] of operator 2"; empty if the node is not
  // an operator.
  std::string of(const ::torch::jit::Node& node) const;
  // Writes the locations to the graph as source ranges. A node that reads declared weights of one module gets the scope
  // of that module below its own: for "block.fc.weight", block.fc.
  void write();

 private:
  std::string operand(const ::torch::jit::Value& value) const;
  std::string owner_of(const ::torch::jit::Node& node) const;

  ::torch::jit::Graph& graph_;
  const TraceMemory& memory_;
  std::unordered_map<const ::torch::jit::Node*, std::size_t> numbers_;
  std::unordered_map<const ::torch::jit::Value*, std::string> owners_;  // path of the module by weight
};

}  // namespace tonnx::torch
