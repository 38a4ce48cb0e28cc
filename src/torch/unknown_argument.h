#pragma once

#include <optional>
#include <span>
#include <string>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

namespace tonnx::torch {

// Returns the name of an argument of this LibTorch's operator that the operator of the pinned LibTorch
// (aten/schemas.h) lacks, unless its value is the default; "" if there is none. An operator of another library, or one
// that the table lacks, has none. `known`: the constant values of the arguments; nullopt: known only at run time.
std::string unknown_argument(const c10::FunctionSchema& schema, std::span<const std::optional<c10::IValue>> known);

}  // namespace tonnx::torch
