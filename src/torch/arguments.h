#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/function_schema.h>

#include "ir/constant.h"
#include "torch/graph_import.h"

// Example arguments, and how they are bound to a method's parameters. Internal: includes LibTorch.
namespace tonnx::torch {

// A parameter and its value: the caller's, converted to the parameter's type, or the default.
struct BoundArgument {
  std::string name;
  c10::TypePtr type;
  ir::Constant value;
  bool given = false;
};

// Binds arguments to the schema's parameters, without the receiver. A number for a Tensor parameter becomes a rank-0
// tensor (int64, float32, bool); a one-element tensor for a number stays a tensor, which is read where the number is.
// If no keyword is a parameter name and the next parameter is a Dict[str, ...], the keywords are its entries. Throws
// Error(Code::Argument), with the expected parameters, for too many or missing arguments, an unknown keyword, an
// argument specified twice, or a wrong type.
std::vector<BoundArgument> bind_arguments(const c10::FunctionSchema& schema, const ir::Arguments& arguments);

// Describes parameters: "input: Tensor, scale: float = 1.0".
std::string expected_text(const c10::FunctionSchema& schema);

// Adds inputs to the graph for the tensors and numbers of an argument, called "x" or, inside tuples, lists and dicts,
// "x.0" or "x.key", and returns the argument built from them. Strings, None, lists and dicts of numbers (with a
// warning) and defaults are constants.
Imported add_inputs(GraphImport& import, const BoundArgument& argument, std::vector<ir::Tensor>& examples);

// True if the argument is a list of tensors, of any length.
bool is_tensor_list(const BoundArgument& argument);

// Returns the argument with its tensors replaced by recorded tensors, `inputs` from `next` on, in the order of
// add_inputs(). Numbers are not replaced, but their inputs are skipped.
c10::IValue recorded_argument(const BoundArgument& argument, std::span<void* const> inputs, std::size_t& next);

}  // namespace tonnx::torch
