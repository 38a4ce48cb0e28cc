#include "torch/trace.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

class Outputs final : public TraceOutputs {
 public:
  explicit Outputs(Recording& recording) : recording_(recording) {}

  void add(const void* at_tensor, const std::string& name) override { recording_.add_output(at_tensor, name); }
  void add_weight(const void* at_tensor, const std::string& name) override { recording_.add_weight(at_tensor, name); }

 private:
  Recording& recording_;
};

// Between the class and the attribute name of a scope; see GraphImport::traced_scope().
constexpr char kSeparator = '\x1f';

}  // namespace

Traced trace(const TraceFunction& function, const ir::Arguments& arguments) {
  Recording recording(arguments);
  Outputs outputs(recording);
  function(recording.inputs(), outputs);
  return recording.end();
}

Untraced::Untraced() {
  // Where LibTorch has switched the tracer off itself, it could not be switched on again.
  if (!jit::tracer::isTracing() || c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::Tracer)) return;
  state_ = jit::tracer::getTracingState();
  jit::tracer::setTracingState(nullptr);
}

Untraced::~Untraced() {
  if (state_) jit::tracer::setTracingState(std::static_pointer_cast<jit::tracer::TracingState>(state_));
}

void begin_trace_scope(const std::string& type, const std::string& name) {
  const auto& state = jit::tracer::getTracingState();
  if (!state) return;
  state->graph->set_current_scope(state->graph->current_scope()->push(c10::Symbol::scope(type + kSeparator + name)));
}

void end_trace_scope() {
  const auto& state = jit::tracer::getTracingState();
  if (state && !state->graph->current_scope()->isRoot())
    state->graph->set_current_scope(state->graph->current_scope()->parent());
}

}  // namespace tonnx::torch
