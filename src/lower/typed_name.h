#pragma once

#include <string_view>

#include "ir/graph.h"

namespace tonnx::lower {

// The name of a registration may end with the dtype that it serves: "aten::add.Tensor<float16>" or
// "aten::mul<complex>".

// The dtype in the name; empty if there is none.
std::string_view dtype_in(std::string_view name);
// True if the string names a dtype, or is "complex".
bool is_dtype_text(std::string_view text);
// True if a registration of this name serves a call: its first tensor, or the first of a list, has the dtype. A name
// without a dtype serves all calls; only such a name serves a tensor of unknown dtype.
bool serves(std::string_view name, const ir::Node& node);

}  // namespace tonnx::lower
