#include "torch/data_sizes.h"

#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace tonnx::torch {

namespace {

using IsData = std::function<bool(const at::Tensor&)>;

at::Tensor without_elements(const at::Tensor& tensor, const IsData& is_data) {
  if (!tensor.defined() || !is_data(tensor) || tensor.layout() != at::kStrided || tensor.is_quantized()) return tensor;
  return at::empty_strided(tensor.sizes(), tensor.strides(),
                           at::TensorOptions().dtype(tensor.dtype()).device(at::kMeta));
}

c10::IValue without_elements_in(const c10::IValue& value, const IsData& is_data) {
  if (value.isTensor()) return without_elements(value.toTensor(), is_data);
  if (value.isTensorList()) {
    c10::List<at::Tensor> items;
    for (const at::Tensor& item : value.toTensorVector()) items.push_back(without_elements(item, is_data));
    return items;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> items;
    for (const c10::IValue& item : value.toListRef())
      items.push_back(item.isTensor() ? std::optional(without_elements(item.toTensor(), is_data)) : std::nullopt);
    return items;
  }
  return value;
}

bool runs_without_elements(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, const IsData& is_data) {
  const c10::impl::ExcludeDispatchKeyGuard untraced(c10::DispatchKey::Tracer);
  try {
    c10::Stack stack;
    for (const c10::IValue& argument : arguments) stack.push_back(without_elements_in(argument, is_data));
    op.callBoxed(stack);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

bool sizes_depend_on_data(const c10::OperatorName& name, c10::ArrayRef<c10::IValue> arguments, const IsData& is_data) {
  const auto op = c10::Dispatcher::singleton().findSchema(name);
  if (!op) return false;
  // Few operators accept tensors with and without elements together.
  const auto all = [](const at::Tensor&) { return true; };
  return !runs_without_elements(*op, arguments, is_data) && !runs_without_elements(*op, arguments, all);
}

}  // namespace tonnx::torch
