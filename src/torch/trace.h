#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "ir/constant.h"
#include "torch/recording.h"

namespace tonnx::torch {

// Takes what a traced function declares and returns.
class TraceOutputs {
 public:
  // As Recording::add_output and Recording::add_weight.
  virtual void add(const void* at_tensor, const std::string& name = {}) = 0;
  virtual void add_weight(const void* at_tensor, const std::string& name) = 0;

 protected:
  ~TraceOutputs() = default;
};

// Runs the caller's code on tensors: `inputs` are at::Tensor *, borrowed for the call.
using TraceFunction = std::function<void(std::span<void* const> inputs, TraceOutputs& outputs)>;

// A Recording of one call of `function`. What it throws leaves unchanged, and tracing works again afterwards. Errors are
// those of Recording. Any thread; all state is that thread's.
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
