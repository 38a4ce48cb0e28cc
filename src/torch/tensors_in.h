#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

// Internal: includes LibTorch.
namespace tonnx::torch {

// Calls `visit` with each defined tensor of the value, those in lists and tuples included.
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

}  // namespace tonnx::torch
