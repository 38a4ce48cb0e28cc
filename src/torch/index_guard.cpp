#include "torch/index_guard.h"

#include <cstdint>
#include <optional>

#include <ATen/TensorOperators.h>
#include <ATen/TracerMode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/where.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "aten/indexed.h"

namespace tonnx::torch {

namespace {

using aten::Indexed;
using Arguments = c10::ArrayRef<c10::IValue>;

thread_local std::shared_ptr<std::atomic<bool>> current;

bool is_elsewhere(const at::Tensor& tensor) { return tensor.defined() && !tensor.is_cpu() && !tensor.is_meta(); }

void require(const at::Tensor& indices, std::int64_t size, bool from_end,
             std::optional<std::int64_t> ignored = std::nullopt) {
  if (!is_elsewhere(indices) || indices.numel() == 0 || !at::isIntegralType(indices.scalar_type(), false)) return;
  at::Tensor here = indices.to(at::kCPU).to(at::kLong);
  if (ignored) here = at::where(here == *ignored, size > 0 ? 0 : *ignored, here);
  const auto [least, most] = at::aminmax(here);
  for (const std::int64_t index : {least.item<std::int64_t>(), most.item<std::int64_t>()})
    TORCH_CHECK_INDEX((index >= (from_end ? -size : 0) && index < size) || index == ignored, "index ", index,
                      " is out of bounds for an axis of size ", size);
}

void along_axis(Arguments given) {
  const at::Tensor& self = given[0].toTensor();
  if (!given[1].isInt()) return;  // a name, which traces refuse
  const std::int64_t axis = given[1].toInt();
  if (self.dim() > 0 && axis >= -self.dim() && axis < self.dim()) require(given[2].toTensor(), self.size(axis), false);
}

void along_axes(Arguments given) {
  const at::Tensor& self = given[0].toTensor();
  std::int64_t axis = 0;
  for (const c10::IValue& item : given[1].toListRef()) {
    const at::Tensor index = item.isTensor() ? item.toTensor() : at::Tensor();
    const bool is_mask = index.defined() && (index.scalar_type() == at::kBool || index.scalar_type() == at::kByte);
    if (axis < self.dim() && !is_mask) require(index, self.size(axis), true);
    axis += is_mask ? index.dim() : 1;
  }
}

void along_classes(Arguments given) {
  const at::Tensor& self = given[0].toTensor();
  if (self.dim() > 0) require(given[1].toTensor(), self.size(self.dim() == 1 ? 0 : 1), false, given[4].toInt());
}

void check(Indexed indexed, Arguments given) {
  const at::DisableRecordFunctionGuard unseen;
  const at::tracer::impl::NoTracerDispatchMode untraced;
  const c10::impl::ExcludeDispatchKeyGuard once(kStandInKey);
  const c10::impl::ExcludeDispatchKeyGuard no_gradients(c10::autograd_dispatch_keyset);
  const at::Tensor& self = given[0].toTensor();
  switch (indexed) {
    case Indexed::Axis: return along_axis(given);
    case Indexed::Axes: return along_axes(given);
    case Indexed::Classes: return along_classes(given);
    case Indexed::Elements: return require(given[1].toTensor(), self.numel(), true);
    case Indexed::Rows:
      if (self.dim() > 0) require(given[1].toTensor(), self.size(0), false);
      return;
    case Indexed::Truth:
      if (is_elsewhere(self)) TORCH_CHECK(self.to(at::kCPU).is_nonzero(), "an assertion failed");
      return;
    case Indexed::Nothing: return;
  }
}

Indexed indexed_by(const c10::OperatorName& op) { return aten::indexed_by(op.name, op.overload_name); }

void kernel(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
  if (current && *current) {
    const std::size_t count = op.schema().arguments().size();
    check(indexed_by(op.operator_name()), Arguments(stack->data() + stack->size() - count, count));
  }
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kStandInKey), stack);
}

// Once per process, for its whole life.
bool stands_in() {
  static const bool made = [] {
    ::torch::Library* library = stand_in_library();
    if (!library) return false;
    for (const c10::OperatorName& op : c10::Dispatcher::singleton().getAllOpNames()) {
      if (indexed_by(op) == Indexed::Nothing) continue;
      library->impl(c10::toString(op).c_str(), ::torch::CppFunction::makeFromBoxedFunction<&kernel>());
    }
    return true;
  }();
  return made;
}

}  // namespace

IndexGuard::IndexGuard() {
  if (!stands_in()) return;
  goes_on_ = current = std::make_shared<std::atomic<bool>>(true);
  stands_.emplace();
}

IndexGuard::~IndexGuard() {
  if (goes_on_) *goes_on_ = false;
}

}  // namespace tonnx::torch
