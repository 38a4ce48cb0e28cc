#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/constant.h"
#include "torch/program.h"

namespace tonnx::torch {

// Takes what a traced function declares and returns.
class TraceOutputs {
 public:
  // The next result. `at_tensor`: an at::Tensor *, borrowed for the call. Throws Error(Code::Argument) if it is null or
  // undefined.
  virtual void add(const void* at_tensor, const std::string& name = {}) = 0;
  // A parameter the code reads: a weight under this name. To be declared before its first use; borrowed for the trace.
  virtual void add_weight(const void* at_tensor, const std::string& name) = 0;

 protected:
  ~TraceOutputs() = default;
};

// Runs the caller's code on tensors: `inputs` are at::Tensor *, borrowed for the call.
using TraceFunction = std::function<void(std::span<void* const> inputs, TraceOutputs& outputs)>;

struct Traced {
  Program program;
  std::vector<ir::Tensor> outputs;  // copies of what the function returned
};

// Runs `function` once under LibTorch's tracer and gives the program it ran. The tensors and numbers of `arguments`
// (numbers as rank-0 tensors), tuples, lists and dicts opened, become inputs, named "input", or "input_0", "input_1",
// ... if there are several, or by keyword; they are copies, so the function may write to them. None and strings are
// left out. Tensors the function reads that are neither inputs nor declared weights become weights named "constant_N", or
// after the declared weight whose memory they show. Sizes and numbers that the function reads from tensors are
// constants of this run. The caller's gradient mode stays. What `function` throws leaves unchanged, and tracing works
// again afterwards. Throws Error(Code::Argument) if this thread is tracing already, or if nothing is returned. Any
// thread; all state is that thread's.
Traced trace(const TraceFunction& function, const ir::Arguments& arguments);

// While it lives, no tracer records what this thread runs: neither a trace of tonnx's nor one of the caller's own.
class Untraced {
 public:
  Untraced();
  ~Untraced();
  Untraced(const Untraced&) = delete;
  Untraced& operator=(const Untraced&) = delete;

 private:
  std::shared_ptr<void> state_;  // of the tracer that waits; null: none does
};

// Between the two, recorded nodes belong to a module of this class under this attribute name (empty for the outermost).
// For use by the traced function; outside of a trace nothing happens.
void begin_trace_scope(const std::string& type, const std::string& name);
void end_trace_scope();

}  // namespace tonnx::torch
