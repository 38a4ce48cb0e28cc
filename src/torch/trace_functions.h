#pragma once

#include <span>
#include <string>
#include <vector>

#include <torch/csrc/jit/frontend/tracer.h>

#include "ir/attribute.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

class TraceMemory;

// The functions of a recording: regions that the host names (ir/function_region.h). The graph has nodes
// prim::function_begin and prim::function_end in their place.
class TraceFunctions {
 public:
  TraceFunctions(::torch::jit::tracer::TracingState& state, TraceMemory& memory) : state_(state), memory_(memory) {}

  // Throws Error(Code::Argument) for arguments that are not numbers, strings or lists of numbers.
  void begin(const std::string& name, std::span<const at::Tensor> inputs,
             const std::vector<ir::NamedAttribute>& arguments);
  // Ends the innermost function. Throws Error(Code::Argument) if none is open, or without outputs.
  void end(std::span<const at::Tensor> outputs);
  // Drops the innermost function. Its beginning stays in the graph without users, and is removed with those of
  // functions that are not converted as a whole. Throws Error(Code::Argument) if none is open.
  void abandon();
  // The name of the innermost open function; empty if none is open.
  const std::string& open() const;
  // At the end of the recording: notes at each function which outputs share memory that is written to.
  void mark_shared();

 private:
  struct Open {
    ::torch::jit::Node* begin;
    std::string name;
    std::vector<ir::NamedAttribute> arguments;
  };

  ::torch::jit::Value* read(const at::Tensor& tensor, const std::string& name);
  const Open& innermost() const;

  ::torch::jit::tracer::TracingState& state_;
  TraceMemory& memory_;
  std::vector<Open> open_;
};

// True for the two nodes that mark a function.
bool is_function_mark(const ::torch::jit::Node& node);
bool ends_function(const ::torch::jit::Node& node);

}  // namespace tonnx::torch
