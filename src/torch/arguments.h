#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/function_schema.h>

#include "ir/constant.h"
#include "torch/graph_import.h"

// Example arguments and how they meet a method's parameters. Internal: includes LibTorch.
namespace tonnx::torch {

// One parameter with what it gets: a given value, brought to the parameter's type, or its default.
struct BoundArgument {
  std::string name;
  c10::TypePtr type;
  ir::Constant value;
  bool given = false;
};

// The arguments in the order of the schema, the receiver left out. A number for a Tensor parameter becomes a rank-0
// tensor (int64, float32, bool); a tensor of one element for a number stays one, which is read where the number is.
// Keywords of which none is an argument's name are the entries of the next argument if that is a Dict[str, ...]. Throws
// Error(Code::Argument) naming what is expected: too many, missing, unknown keyword, given twice, wrong type.
std::vector<BoundArgument> bind_arguments(const c10::FunctionSchema& schema, const ir::Arguments& arguments);

// "input: Tensor, scale: float = 1.0"
std::string expected_text(const c10::FunctionSchema& schema);

// Makes inputs of the graph for the tensors and numbers of an argument, named "x" or, inside tuples, lists and dicts,
// "x.0" or "x.key", and gives the argument built from them. Strings, None, lists and dicts of numbers (with a
// warning) and defaults are constants.
Imported add_inputs(GraphImport& import, const BoundArgument& argument, std::vector<ir::Tensor>& examples);

// Whether the argument is a list of tensors, of any length.
bool is_tensor_list(const BoundArgument& argument);

// The argument with recorded tensors, `inputs` from `next` on, in place of its own, as add_inputs() counts them;
// numbers stay and pass over theirs.
c10::IValue recorded_argument(const BoundArgument& argument, std::span<void* const> inputs, std::size_t& next);

}  // namespace tonnx::torch
