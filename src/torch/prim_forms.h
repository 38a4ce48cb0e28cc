#pragma once

#include <string_view>
#include <vector>

#include <ATen/core/ivalue.h>

#include "ir/graph.h"

namespace tonnx::torch {

// Evaluates a language form that is not a callable operator: constants, construction and unpacking of lists, tuples and
// dicts, questions about devices and gradients, type tests. Returns false for unsupported arguments. Throws c10::Error
// if the program fails.
using PrimForm = bool (*)(const ir::Node&, c10::ArrayRef<c10::IValue> inputs, std::vector<c10::IValue>& outputs);

// Null if the kind is not such a form.
PrimForm find_prim_form(std::string_view kind);

}  // namespace tonnx::torch
