#pragma once

#include <functional>

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include "ir/constant.h"
#include "ir/type.h"

namespace tonnx::torch {

// Returns the run-time value of a constant. Tensors are copied, since a program may write to them; tensors of more than
// 16 MB become meta tensors. `type` is the type of an empty list; it may be null.
c10::IValue value_of(const ir::Constant& constant, const ir::Type* type);

// LibTorch's form of a type; Any if values do not need one.
c10::TypePtr type_of(const ir::Type& type);

// Converts a value to a constant; tensors are copied. Returns false if it is not plain, or has a tensor that `accept`
// refuses.
bool convert_value(const c10::IValue& value, const std::function<bool(const at::Tensor&)>& accept, ir::Constant& out);

}  // namespace tonnx::torch
