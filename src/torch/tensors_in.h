#pragma once

#include <algorithm>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// Calls `visit` with each defined tensor of the value, including those in lists and tuples.
template <class Visit>
void for_each_tensor(const c10::IValue& value, Visit visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) for_each_tensor(item, visit);
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements()) for_each_tensor(item, visit);
  }
}

inline std::vector<at::Tensor> tensors_in(c10::ArrayRef<c10::IValue> values) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : values)
    for_each_tensor(value, [&](const at::Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

// For a boxed call LibTorch passes the whole stack: the arguments and results are its last entries.
inline c10::ArrayRef<c10::IValue> arguments_of(const at::RecordFunction& function) {
  const c10::ArrayRef<c10::IValue> stack = function.inputs();
  const std::size_t count = std::min(function.num_inputs(), stack.size());
  return stack.slice(stack.size() - count, count);
}
inline c10::ArrayRef<c10::IValue> results_of(const at::RecordFunction& function) {
  const c10::ArrayRef<c10::IValue> stack = function.outputs();
  const std::size_t count = std::min(function.num_outputs(), stack.size());
  return stack.slice(stack.size() - count, count);
}

}  // namespace tonnx::torch
