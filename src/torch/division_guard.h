#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

// Guards against integer divisions that would end the process (aten/divisions.h). Internal: includes LibTorch.
namespace tonnx::torch {

// Throws c10::Error if the operator would divide integers with an undefined quotient. `arguments` are its first ones.
// Of tensors without data only the sizes are checked.
void require_quotients(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments);

// True if a node may have such a division: its divisor is not a constant that is always valid.
bool needs_quotients(const ::torch::jit::Node& node);

// Makes TorchScript's interpreter call require_quotients() before such a node.
void guard_division(::torch::jit::Node& node);

// LibTorch's compiler folds operators on constants, unguarded. Returns the integer as a value that it does not fold;
// returns values of other types as they are.
::torch::jit::Value* unfolded(::torch::jit::Value* number);

// Replaces the results of unfolded() by the integers themselves, in a graph and its blocks.
void restore_unfolded(::torch::jit::Block& block);

}  // namespace tonnx::torch
