#pragma once

#include <string_view>
#include <vector>

#include <ATen/core/ivalue.h>

#include "ir/graph.h"

namespace tonnx::torch {

// Evaluates a form of the language that is no operator to call: constants, construction and taking apart of lists,
// tuples and dicts, questions about devices and gradients, type tests. False: not with these arguments. Throws
// c10::Error where the program fails.
using PrimForm = bool (*)(const ir::Node&, c10::ArrayRef<c10::IValue> inputs, std::vector<c10::IValue>& outputs);

// Null if the kind is no form of its own.
PrimForm find_prim_form(std::string_view kind);

}  // namespace tonnx::torch
