#include "torch/trace.h"

#include <utility>

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

// Separates the class and the attribute name of a scope.
constexpr char kSeparator = '\x1f';

}  // namespace

std::shared_ptr<void> suspend_trace() {
  // If LibTorch has disabled the tracer itself, it could not be enabled again.
  if (!jit::tracer::isTracing() || c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::Tracer)) return nullptr;
  const std::shared_ptr<jit::tracer::TracingState> state = jit::tracer::getTracingState();
  jit::tracer::setTracingState(nullptr);
  return state;
}

void resume_trace(std::shared_ptr<void> tracer) {
  if (tracer) jit::tracer::setTracingState(std::static_pointer_cast<jit::tracer::TracingState>(std::move(tracer)));
}

std::string TraceScope::text() const { return type + kSeparator + name; }

TraceScope TraceScope::of(const std::string& text) {
  const std::size_t separator = text.find(kSeparator);
  return {text.substr(0, separator), separator == std::string::npos ? std::string() : text.substr(separator + 1)};
}

void begin_trace_scope(const std::string& type, const std::string& name) {
  const auto& state = jit::tracer::getTracingState();
  if (!state) return;
  state->graph->set_current_scope(
      state->graph->current_scope()->push(c10::Symbol::scope(TraceScope{type, name}.text())));
}

void end_trace_scope() {
  const auto& state = jit::tracer::getTracingState();
  if (state && !state->graph->current_scope()->isRoot())
    state->graph->set_current_scope(state->graph->current_scope()->parent());
}

}  // namespace tonnx::torch
