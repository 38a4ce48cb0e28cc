#include "torch/trace_session.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <c10/core/impl/LocalDispatchKeySet.h>

#include "ir/error.h"
#include "torch/checkpoint.h"
#include "torch/data_sizes.h"
#include "torch/quiet.h"
#include "torch/tensors_in.h"

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
  // LibTorch's own check would discard the outer trace.
  if (jit::tracer::isTracing()) throw Error(Code::Argument, "this thread is already tracing; traces cannot be nested");
}

std::shared_ptr<TraceSession> TraceSession::begin() {
  const std::shared_ptr<TraceSession> session(new TraceSession());
  jit::tracer::setTracingState(session->state_);
  collect_warnings(&session->warnings_);
  session->handle_ = at::addThreadLocalCallback(
      at::RecordFunctionCallback(&TraceSession::before_operator, &TraceSession::after_operator)
          .needsInputs(true)
          .needsOutputs(true));
  session->watch_.emplace(std::shared_ptr<TraceMemory>(session, &session->memory_));
  return current_ = session;
}

TraceSession::TraceSession()
    : state_(std::make_shared<jit::tracer::TracingState>()), memory_(*state_), functions_(*state_, memory_) {
  state_->strict = false;
  state_->force_outplace = false;
}

void TraceSession::stop() {
  stopped_ = true;
  watch_.reset();
  if (current_.get() == this) leave_thread();
}

void TraceSession::leave_thread() {
  const std::shared_ptr<TraceSession> session = std::exchange(current_, nullptr);
  at::removeCallback(session->handle_);
  session->memory_.stop_pointers();
  if (jit::tracer::getTracingState() == session->state_) jit::tracer::setTracingState(nullptr);
  collect_warnings(nullptr);
}

void TraceSession::add_output(const at::Tensor& tensor) {
  memory_.read(tensor, "the output");
  state_->graph->registerOutput(state_->getValue(tensor));
}

at::Tensor TraceSession::size_of(const at::Tensor& tensor, std::int64_t axis) {
  if (!state_->hasValue(tensor))
    throw ir::Error(ir::Code::Argument,
                    "the tensor was not recorded by the trace, so its size is a number of the host");
  if (axis < -tensor.dim() || axis >= tensor.dim())
    throw ir::Error(ir::Code::Argument,
                    "axis " + std::to_string(axis) + " is out of range: the rank is " + std::to_string(tensor.dim()));
  return jit::tracer::getSizeOf(tensor, axis < 0 ? axis + tensor.dim() : axis);
}

jit::Node* TraceSession::last_node() {
  auto nodes = state_->graph->nodes();
  return nodes.begin() == nodes.end() ? nullptr : *nodes.rbegin();
}

// A call of an operator, from its start to its end.
struct TraceSession::Call final : at::ObserverContext {
  std::shared_ptr<TraceSession> session;
  bool recorded = false;
  bool is_operator = false;  // not a function of a script or a range of a profiler
  bool is_inside = false;    // of a recorded one
  Origin origin;
  const OperatorTraits* traits = nullptr;
  bool sized_by_data = false;
  std::vector<at::Tensor> written;
  std::optional<TraceMemory::Resized> resized;
  std::unique_ptr<ReplacedElements> replaced;
};

std::unique_ptr<at::ObserverContext> TraceSession::before_operator(const at::RecordFunction& function) {
  if (!current_) return nullptr;
  wait_at_exit();  // LibTorch drops exceptions of this callback
  if (current_->stopped_) {
    leave_thread();
    return nullptr;
  }
  const bool recorded = jit::tracer::getTracingState() == current_->state_ &&
                        !c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::Tracer);
  const bool is_inside = (!recorded && current_->depth_ > 0) || current_->replacing_;
  if (is_inside && current_->operators_ > 0) return nullptr;
  auto call = std::make_unique<Call>();
  call->session = current_;
  call->recorded = recorded;
  call->is_inside = is_inside;
  current_->enter(function, *call);
  return call;
}

void TraceSession::after_operator(const at::RecordFunction& function, at::ObserverContext* context) {
  if (!context) return;
  auto& call = static_cast<Call&>(*context);
  if (call.replaced) call.session->replacing_ = false;
  call.replaced.reset();
  call.session->leave(function, call);
}

void TraceSession::enter(const at::RecordFunction& function, Call& call) {
  const auto name = function.operator_name();
  call.is_operator = name.has_value();
  const bool is_outermost = call.is_operator && operators_++ == 0;
  if (!call.is_inside) depth_ += call.recorded;
  call.traits = &traits_.of(name.value_or(c10::OperatorName("", "")));
  try {
    const auto inputs = arguments_of(function);
    const auto is_object = [](const c10::IValue& input) { return input.isObject() || input.isGenericDict(); };
    // An operator of a library may use any tensor, on threads of its own.
    const bool uses_others = (name && name->getNamespace() != "aten") || std::ranges::any_of(inputs, is_object);
    if (is_outermost) memory_.enter_operator(tensors_in(inputs), uses_others);
    // Operators called inside a recorded operator are not recorded.
    if (call.is_inside) return;
    for (const c10::IValue& input : inputs)
      for_each_tensor(input, [&](const at::Tensor& tensor) {
        if (call.recorded) memory_.read(tensor, function.name());
        if (!call.traits->creates) call.origin |= memory_.origin_of(tensor);
      });
    call.origin.drawn |= call.traits->random;
    const auto collect = [&](const std::vector<std::size_t>& arguments, std::vector<at::Tensor>& into) {
      for (const std::size_t i : arguments)
        if (i < inputs.size())
          for_each_tensor(inputs[i], [&](const at::Tensor& tensor) {
            if (call.recorded) memory_.before_write(tensor);
            into.push_back(tensor);
          });
    };
    collect(call.traits->written, call.written);
    if (!call.recorded) return;
    if (call.traits->resizes) call.resized = memory_.before_resize(call.written.front());
    const std::size_t training = call.traits->training;
    if (training < inputs.size() && inputs[training].isBool() && inputs[training].toBool())
      collect(call.traits->statistics, call.written);
    const bool reads_scale = call.traits->reads_scale && memory_.has_quantised_input();
    if (reads_scale || HostReads::is_read(function.name())) read_by_host(function, call, reads_scale);
    const auto is_data = [&](const at::Tensor& tensor) {
      const Origin origin = memory_.origin_of(tensor);
      return origin.input || origin.drawn;
    };
    call.sized_by_data = call.traits->sized_by_data && (call.origin.input || call.origin.drawn) && name &&
                         sizes_depend_on_data(*name, inputs, is_data);
  } catch (const std::exception& e) {
    memory_.refuse(std::string(function.name()) + ": " + e.what(), function.name());
  }
}

void TraceSession::leave(const at::RecordFunction& function, const Call& call) {
  if (!call.is_inside) update_memory(function, call);
  if (!call.is_operator || --operators_ > 0 || stopped_) return;
  std::vector<at::Tensor> changed = tensors_in(results_of(function));
  changed.insert(changed.end(), call.written.begin(), call.written.end());
  memory_.leave_operator(changed);
}

void TraceSession::update_memory(const at::RecordFunction& function, const Call& call) {
  depth_ -= call.recorded;
  try {
    if (call.recorded && !stopped_ && !jit::tracer::getTracingState()) remove_failed(function);
    if (call.resized) memory_.resized(*call.resized);
    if (call.recorded && call.traits->replaces_memory) return invalidate_memory(call.written.front());
    for (const at::Tensor& tensor : call.written) {
      if (call.recorded)
        memory_.written(tensor, call.origin);
      else if (call.origin.input)
        memory_.computed_elsewhere(tensor, function.name());
    }
    for (const c10::IValue& output : results_of(function))
      for_each_tensor(output, [&](const at::Tensor& tensor) {
        if (call.recorded)
          memory_.result(tensor, *call.traits, call.origin);
        else if (call.origin.input)
          memory_.computed_elsewhere(tensor, function.name());
      });
    if (call.sized_by_data) add_data_sizes(function);
  } catch (const std::exception& e) {
    memory_.refuse(std::string(function.name()) + ": " + e.what(), function.name());
  }
}

// The host may read them; values that it computes from them are constants of the model.
void TraceSession::add_data_sizes(const at::RecordFunction& function) {
  backend::DataSizes found;
  for (const c10::IValue& output : results_of(function))
    for_each_tensor(output, [&](const at::Tensor& tensor) {
      if (found.result.empty() && state_->hasValue(tensor)) found.result = memory_.describe(state_->getValue(tensor));
      found.sizes.insert(found.sizes.end(), tensor.sizes().begin(), tensor.sizes().end());
    });
  if (!found.result.empty()) data_sizes_.push_back(std::move(found));
}

// set_() computes nothing. The tracer has recorded it if the memory belonged to another tensor.
void TraceSession::invalidate_memory(const at::Tensor& tensor) {
  memory_.given_memory(tensor);
  if (jit::Node* last = last_node(); last && last->kind() == c10::Symbol::aten("set_")) last->destroy();
}

// If an operator throws, which the host may catch, LibTorch leaves the tracer disabled and the node without results.
void TraceSession::remove_failed(const at::RecordFunction& function) {
  jit::tracer::setTracingState(state_);
  jit::Node* last = last_node();
  if (last && last->outputs().empty() && function.name() == std::string_view(last->kind().toQualString()))
    last->destroy();
}

// The number leaves the recording: values that the host computes from it are constants of the model.
void TraceSession::read_by_host(const at::RecordFunction& function, Call& call, bool of_scale) {
  std::vector<at::Tensor> read;
  for (const c10::IValue& input : arguments_of(function))
    for_each_tensor(input, [&](const at::Tensor& tensor) { read.push_back(tensor); });
  if (read.size() > 1 && is_plain_tensor(read[0]) && is_plain_tensor(read[1]) && read[0].is_alias_of(read[1]) &&
      Layout::of(read[0]) == Layout::of(read[1]))
    return;  // the same tensor twice, with any elements
  for (const at::Tensor& tensor : read) {
    const Origin origin = memory_.origin_of(tensor);
    if (!(origin.input || origin.drawn) || !state_->hasValue(tensor)) continue;
    const std::string description = memory_.describe(state_->getValue(tensor));
    if (of_scale) return reads_.note_fixed(description);
    call.replaced = reads_.next(description, tensor, read.size() > 1);
    replacing_ = call.replaced != nullptr;
    return;
  }
}

}  // namespace tonnx::torch
