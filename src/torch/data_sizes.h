#pragma once

#include <functional>

#include <ATen/core/ivalue.h>
#include <ATen/core/operator_name.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// True if result sizes depend on elements of the tensors among the arguments that `is_data` selects. For operators that
// may have such results (OperatorTraits::sized_by_data): runs them in LibTorch on tensors without elements if the sizes
// do not depend on any. Records nothing.
bool sizes_depend_on_data(const c10::OperatorName& name, c10::ArrayRef<c10::IValue> arguments,
                          const std::function<bool(const at::Tensor&)>& is_data);

}  // namespace tonnx::torch
