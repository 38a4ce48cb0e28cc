#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "handles.h"

namespace tonnx::capi {

// The operator of a node with the names, types and constants of its arguments, and the types of its results, for
// messages: "aten::elu(self: Float(2, 3), alpha: float = 0.5) -> Float(2, 3)".
std::string call_text(const ir::Node& node);

// The content of a constant, as the getters of values return it. Throw Error(Code::Argument), with the argument and its
// operator, if the value is not a constant, or is one of another kind. An int, too, can be read as a float, a bool as
// an int, and a single number as a list of one.
std::int64_t int_of(const tonnx_value& value);
double float_of(const tonnx_value& value);
bool flag_of(const tonnx_value& value);
const std::string& text_of(const tonnx_value& value);
// Of a weight, too; a number has rank 0.
ir::Tensor tensor_of(const tonnx_value& value);
// Stored in the value.
const std::vector<std::int64_t>& ints_of(const tonnx_value& value);
const std::vector<double>& floats_of(const tonnx_value& value);
const std::vector<const char*>& texts_of(const tonnx_value& value);

}  // namespace tonnx::capi
