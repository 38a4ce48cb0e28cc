#include "torch/trace_session.h"

#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <utility>

#include "ir/error.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

void Warnings::add(const std::string& text) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

thread_local std::shared_ptr<TraceSession> TraceSession::current_;

void TraceSession::require_none() {
  if (current_ && current_->stopped_) leave_thread();
  // LibTorch's own check would throw away the outer trace.
  if (jit::tracer::isTracing()) throw Error(Code::Argument, "this thread is tracing already; traces cannot be nested");
}

std::shared_ptr<TraceSession> TraceSession::begin() {
  const std::shared_ptr<TraceSession> session(new TraceSession());
  jit::tracer::setTracingState(session->state_);
  session->warned_before_ = c10::WarningUtils::get_warning_handler();
  c10::WarningUtils::set_warning_handler(&session->warnings_);
  // The tracer refuses to keep a tensor that requires gradients as a constant, so it must know it before its first
  // use.
  session->handle_ =
      at::addThreadLocalCallback(at::RecordFunctionCallback(&TraceSession::before_operator).needsInputs(true));
  return current_ = session;
}

TraceSession::TraceSession() : state_(std::make_shared<jit::tracer::TracingState>()) {
  state_->strict = false;
  state_->force_outplace = false;
}

void TraceSession::stop() {
  stopped_ = true;
  if (current_.get() == this) leave_thread();
}

void TraceSession::leave_thread() {
  const std::shared_ptr<TraceSession> session = std::exchange(current_, nullptr);
  at::removeCallback(session->handle_);
  if (jit::tracer::getTracingState() == session->state_) jit::tracer::setTracingState(nullptr);
  if (c10::WarningUtils::get_warning_handler() == &session->warnings_)
    c10::WarningUtils::set_warning_handler(session->warned_before_);
}

const jit::Value* TraceSession::new_input(const at::Tensor& tensor) {
  jit::Value* value = state_->graph->addInput();
  value->inferTypeFrom(tensor);
  state_->setValue(tensor, value);
  return value;
}

void TraceSession::add_input(const at::Tensor& tensor) { new_input(tensor); }

void TraceSession::add_weight(const at::Tensor& tensor, const std::string& name) {
  if (state_->hasValue(tensor)) return;
  weights_.push_back({tensor, name, static_cast<std::int64_t>(tensor._version()), nullptr});
  weights_.back().value = new_input(tensor);
}

void TraceSession::add_output(const at::Tensor& tensor) {
  add_captured(tensor);
  state_->graph->registerOutput(state_->getValue(tensor));
}

at::Tensor TraceSession::size_of(const at::Tensor& tensor, std::int64_t axis) {
  if (!state_->hasValue(tensor))
    throw ir::Error(ir::Code::Argument, "the tensor is none that the trace has recorded: its size is the host's own");
  if (axis < -tensor.dim() || axis >= tensor.dim())
    throw ir::Error(ir::Code::Argument, "axis " + std::to_string(axis) + " is out of range: the rank is " +
                                            std::to_string(tensor.dim()));
  return jit::tracer::getSizeOf(tensor, axis < 0 ? axis + tensor.dim() : axis);
}

void TraceSession::add_captured(const at::Tensor& tensor) {
  if (tensor.defined() && tensor.requires_grad() && !state_->hasValue(tensor)) add_weight(tensor, "");
}

void TraceSession::add_captured(const c10::IValue& value) {
  if (value.isTensor()) return add_captured(value.toTensor());
  if (value.isList())
    for (const c10::IValue& item : value.toListRef()) add_captured(item);
}

std::unique_ptr<at::ObserverContext> TraceSession::before_operator(const at::RecordFunction& function) {
  if (current_ && current_->stopped_)
    leave_thread();
  // Inside of a recorded operator nothing is recorded.
  else if (current_ && jit::tracer::getTracingState() == current_->state_ &&
           !c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::Tracer))
    current_->read_by_operator(function);
  return nullptr;
}

void TraceSession::read_by_operator(const at::RecordFunction& function) {
  for (const c10::IValue& input : function.inputs()) add_captured(input);
  const std::string_view name = function.name();
  if (name == "aten::_local_scalar_dense" || name == "aten::equal") warn_of_read(function.inputs());
}

// The number leaves the recording: what the host's code makes of it is a constant of the model.
void TraceSession::warn_of_read(c10::ArrayRef<const c10::IValue> inputs) {
  for (const c10::IValue& input : inputs) {
    if (!input.isTensor() || !state_->hasValue(input.toTensor())) continue;
    const jit::Value* value = state_->getValue(input.toTensor());
    const auto is_weight = [&](const Weight& weight) { return weight.value == value; };
    if (std::any_of(weights_.begin(), weights_.end(), is_weight) || value->node()->kind() == c10::prim::Constant)
      continue;
    warnings_.add("a tensor was read as a number while tracing; the model keeps the number of this one run");
  }
}

}  // namespace tonnx::torch
