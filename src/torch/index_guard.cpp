#include "torch/index_guard.h"

#include <ATen/TracerMode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/where.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace tonnx::torch {

namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

thread_local std::shared_ptr<std::atomic<bool>> current;

bool is_elsewhere(const at::Tensor& tensor) { return tensor.defined() && !tensor.is_cpu() && !tensor.is_meta(); }

void require(const at::Tensor& indices, std::int64_t size, bool from_behind, std::optional<std::int64_t> ignored = std::nullopt) {
  if (!is_elsewhere(indices) || indices.numel() == 0 || !at::isIntegralType(indices.scalar_type(), false)) return;
  at::Tensor here = indices.to(at::kCPU).to(at::kLong);
  if (ignored) here = at::where(here == *ignored, size > 0 ? 0 : *ignored, here);
  const auto [least, most] = at::aminmax(here);
  for (const std::int64_t index : {least.item<std::int64_t>(), most.item<std::int64_t>()})
    TORCH_CHECK_INDEX((index >= (from_behind ? -size : 0) && index < size) || index == ignored, "index ", index,
                      " is out of bounds for an axis of size ", size);
}

// (self, dim, index, ...)
void along_axis(Arguments given) {
  const at::Tensor& self = given[0].toTensor();
  const std::int64_t axis = given[1].toInt();
  if (self.dim() > 0 && axis >= -self.dim() && axis < self.dim()) require(given[2].toTensor(), self.size(axis), false);
}

// (self, index, ...)
void of_all_elements(Arguments given) { require(given[1].toTensor(), given[0].toTensor().numel(), true); }

// (weight, indices, ...)
void of_rows(Arguments given) {
  if (given[0].toTensor().dim() > 0) require(given[1].toTensor(), given[0].toTensor().size(0), false);
}

// (self, indices, ...): one of each axis, a mask of as many as it has.
void of_axes(Arguments given) {
  const at::Tensor& self = given[0].toTensor();
  std::int64_t axis = 0;
  for (const c10::IValue& item : given[1].toListRef()) {
    const at::Tensor index = item.isTensor() ? item.toTensor() : at::Tensor();
    const bool is_mask = index.defined() && (index.scalar_type() == at::kBool || index.scalar_type() == at::kByte);
    if (axis < self.dim() && !is_mask) require(index, self.size(axis), true);
    axis += is_mask ? index.dim() : 1;
  }
}

// (self, target, weight, reduction, ignore_index, ...)
void of_classes(Arguments given) {
  const at::Tensor& self = given[0].toTensor();
  if (self.dim() > 0) require(given[1].toTensor(), self.size(self.dim() == 1 ? 0 : 1), false, given[4].toInt());
}

// (self, ...)
void must_be_true(Arguments given) {
  if (is_elsewhere(given[0].toTensor())) TORCH_CHECK(given[0].toTensor().to(at::kCPU).is_nonzero(), "an assertion failed");
}

using Check = void (*)(Arguments);

const std::unordered_map<std::string_view, Check>& checks() {
  static const std::unordered_map<std::string_view, Check> all = {
      {"index_select", along_axis},        {"gather", along_axis},
      {"scatter.src", along_axis},         {"scatter_.src", along_axis},
      {"scatter.value", along_axis},       {"scatter_.value", along_axis},
      {"scatter.reduce", along_axis},      {"scatter_.reduce", along_axis},
      {"scatter.value_reduce", along_axis}, {"scatter_.value_reduce", along_axis},
      {"scatter_add", along_axis},         {"scatter_add_", along_axis},
      {"scatter_reduce.two", along_axis},  {"scatter_reduce_.two", along_axis},
      {"index_add", along_axis},           {"index_add_", along_axis},
      {"index_reduce", along_axis},        {"index_reduce_", along_axis},
      {"index_copy", along_axis},          {"index_copy_", along_axis},
      {"index_fill.int_Scalar", along_axis}, {"index_fill_.int_Scalar", along_axis},
      {"index_fill.int_Tensor", along_axis}, {"index_fill_.int_Tensor", along_axis},
      {"take", of_all_elements},           {"put", of_all_elements},
      {"put_", of_all_elements},           {"embedding", of_rows},
      {"_embedding_bag", of_rows},         {"_embedding_bag_forward_only", of_rows},
      {"embedding_renorm_", of_rows},      {"index.Tensor", of_axes},
      {"index_put", of_axes},              {"index_put_", of_axes},
      {"_index_put_impl_", of_axes},       {"nll_loss_forward", of_classes},
      {"nll_loss2d_forward", of_classes},  {"_assert_async", must_be_true},
      {"_assert_async.msg", must_be_true},
  };
  return all;
}

void check(const c10::OperatorHandle& op, Arguments given) {
  const at::DisableRecordFunctionGuard unseen;
  const at::tracer::impl::NoTracerDispatchMode untraced;
  const c10::impl::ExcludeDispatchKeyGuard once(kStandInKey);
  const c10::impl::ExcludeDispatchKeyGuard no_gradients(c10::autograd_dispatch_keyset);
  constexpr std::string_view kDomain = "aten::";
  std::string name = op.schema().name().substr(kDomain.size());
  if (!op.schema().overload_name().empty()) name += "." + op.schema().overload_name();
  checks().at(name)(given);
}

void kernel(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
  if (current && *current) {
    const std::size_t count = op.schema().arguments().size();
    check(op, Arguments(stack->data() + stack->size() - count, count));
  }
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kStandInKey), stack);
}

// Once in a process, and for its life.
bool stands_in() {
  static const bool made = [] {
    ::torch::Library* library = stand_in_library();
    if (!library) return false;
    for (const auto& [name, check] : checks())
      library->impl(std::string(name).c_str(), ::torch::CppFunction::makeFromBoxedFunction<&kernel>());
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
