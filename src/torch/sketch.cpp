#include "torch/sketch.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/linspace.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/jit/frontend/tracer.h>

#include "torch/meta_rule.h"

namespace tonnx::torch {

namespace {

constexpr double kLargest = 8;

thread_local std::shared_ptr<std::atomic<bool>> current;
thread_local bool is_rising = true;

at::Tensor like(const at::Tensor& tensor, c10::DeviceType device) {
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(device).requires_grad(false));
}

at::Tensor in_form_of(const at::Tensor& result) {
  const at::Tensor made = like(result, at::kCPU);
  const double first = is_rising ? -kLargest : kLargest;
  if (made.numel() > 0) made.copy_(at::linspace(first, -first, made.numel()).reshape(made.sizes()));
  return made;
}

// Replaces the arguments by a tensor in the form of the result; returns false if that is not possible.
bool sketch(const c10::OperatorHandle& op, c10::Stack& stack) {
  const std::size_t count = op.schema().arguments().size();
  const c10::Stack arguments(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
  c10::Stack made = arguments;
  for (c10::IValue& argument : made) {
    if (!argument.isTensor() || !argument.toTensor().defined()) continue;
    const at::Tensor& tensor = argument.toTensor();
    if (!tensor.is_cpu() || tensor.layout() != at::kStrided || tensor.is_quantized()) return false;
    argument = like(tensor, at::kMeta);
  }
  try {
    if (const Rule rule = find_rule(op.operator_name().name, {})) {
      std::vector<c10::IValue> results;
      RuleCall call(made, arguments, results);
      if (rule(call) != RuleOutcome::Done) return false;
      made = std::move(results);
    } else {
      op.callBoxed(made);
    }
  } catch (const c10::NotImplementedError&) {
    return false;
  }
  stack.erase(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
  stack.emplace_back(in_form_of(made.at(0).toTensor()));
  return true;
}

void kernel(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
  // Operators are recorded first and then run.
  if (current && *current && !::torch::jit::tracer::isTracing()) {
    const c10::impl::ExcludeDispatchKeyGuard once(kStandInKey);
    if (sketch(op, *stack)) return;
  }
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kStandInKey), stack);
}

// Once per process, for its whole life.
bool stands_in() {
  static const bool made = [] {
    ::torch::Library* library = stand_in_library();
    if (!library) return false;
    for (const char* name : {"_convolution", "addmm", "baddbmm", "bmm", "mm"})
      library->impl(name, ::torch::CppFunction::makeFromBoxedFunction<&kernel>());
    return true;
  }();
  return made;
}

}  // namespace

Sketch::Sketch(bool rising) {
  if (!stands_in()) return;
  is_rising = rising;
  goes_on_ = current = std::make_shared<std::atomic<bool>>(true);
  stands_.emplace();
}

Sketch::~Sketch() {
  if (goes_on_) *goes_on_ = false;
}

}  // namespace tonnx::torch
