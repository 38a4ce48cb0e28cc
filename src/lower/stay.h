#pragma once

#include <cstdint>
#include <optional>

#include "lower/op.h"
#include "lower/outputs.h"

namespace tonnx::lower {

// Which operators the model contains unconverted. The numbers are those of the option operator_export_type.
enum class Operators : std::int32_t {
  Onnx,         // none
  Fallthrough,  // those without a conversion, in the domain of their namespace
  Aten,         // those of aten, as nodes ATen of the domain org.pytorch.aten, where their results are tensors
  AtenFallback  // those of aten without a conversion, in the same form; and traced functions
};

// True if nodes of this operator may stay unconverted.
bool may_stay(const ir::Node& node, Operators operators);

// Appends the operator itself. Its schema's arguments are inputs and attributes of the node, its results have the types
// of the program's.
//   Fallthrough: %y = aten::triu[diagonal=1](%x). Constants are attributes named as in the schema; tensors and
//   dynamic values are inputs, in the schema's order. An overload with a name is the attribute overload_name.
//   Aten: %y = org.pytorch.aten::ATen[operator="triu", overload_name=""](%x, 1). Every argument is an input: numbers
//   are constants of rank 0, lists of rank 1, None is absent; strings are attributes.
// Nullopt if it has no such form: a result is not a real tensor, or an argument fits neither an input nor an attribute.
std::optional<Outputs> stay(const Op& op, Operators operators);

}  // namespace tonnx::lower
