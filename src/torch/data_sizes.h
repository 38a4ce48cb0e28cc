#pragma once

#include <functional>

#include <ATen/core/ivalue.h>
#include <ATen/core/operator_name.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// Whether a result's sizes depend on elements of those tensors among the arguments that `is_data` names. Asked of
// operators that may have such results (OperatorTraits::sized_by_data): LibTorch runs them on tensors without elements
// where the sizes depend on none. Records nothing.
bool sizes_depend_on_data(const c10::OperatorName& name, c10::ArrayRef<c10::IValue> arguments,
                          const std::function<bool(const at::Tensor&)>& is_data);

}  // namespace tonnx::torch
