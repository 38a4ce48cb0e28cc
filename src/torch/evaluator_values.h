#pragma once

#include <functional>

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include "ir/constant.h"
#include "ir/type.h"

namespace tonnx::torch {

// The run-time value of a constant; tensors are copied, so that a program may write to them. Tensors of more than 16 MB
// become meta tensors. `type` says what an empty list holds; it may be null.
c10::IValue value_of(const ir::Constant& constant, const ir::Type* type);

// LibTorch's form of a type; Any where it has none that values need.
c10::TypePtr type_of(const ir::Type& type);

// The constant form of a value, tensors copied; false if it has none or holds a tensor that `accept` refuses.
bool convert_value(const c10::IValue& value, const std::function<bool(const at::Tensor&)>& accept, ir::Constant& out);

}  // namespace tonnx::torch
