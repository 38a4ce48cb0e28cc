#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

// Guards against integer divisions that end the process (aten/divisions.h). Internal: includes LibTorch.
namespace tonnx::torch {

// Throws c10::Error where the operator would divide integers that have no quotient. `arguments` are its first ones; a
// tensor without data has any quotient.
void require_quotients(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments);

// Whether a node may divide such integers: its divisor is not a constant that divides all.
bool needs_quotients(const ::torch::jit::Node& node);

// Makes such a node call require_quotients() before it divides, when TorchScript's interpreter runs it.
void guard_division(::torch::jit::Node& node);

}  // namespace tonnx::torch
