#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "lower/op.h"

namespace tonnx::lower {

// An argument of a call: a constant, or a value of the model, or a list of such values.
struct CallArgument {
  std::optional<ir::Constant> constant;
  Lowered value = {};      // if it is not a constant: One, List or Sequence
  bool is_number = false;  // the value is a number of the program or a list of numbers, not a tensor
};

using NamedArgument = std::pair<std::string, CallArgument>;

// Calls the built-in lowering of one of LibTorch's operators, "aten::gelu" or "aten::add.Tensor", at the current
// position of the builder. Users' symbolics are not called, so a symbolic may call the operator that it converts.
// `positional` are the first arguments of the schema, `named` are further ones, and others have their default. A name
// without an overload means the first overload that takes the arguments. Results have LibTorch's dtype and rank if
// these can be inferred. Throws Error(Code::Argument) if LibTorch lacks the operator or no schema takes the arguments,
// and Refusal if the operator has no lowering at the opset, or its lowering refuses.
Outputs call_built_in(Op& op, const std::string& name, std::span<const CallArgument> positional,
                      std::span<const NamedArgument> named = {});

}  // namespace tonnx::lower
