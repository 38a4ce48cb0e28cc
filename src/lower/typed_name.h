#pragma once

#include <string_view>

#include "ir/graph.h"

namespace tonnx::lower {

// A registration's name may end with the dtype that it serves, "aten::add.Tensor<float16>" or "aten::mul<complex>".

// The dtype's text; empty where the name has none.
std::string_view dtype_in(std::string_view name);
// Whether that text stands for a dtype, or for the complex ones.
bool is_dtype_text(std::string_view text);
// Whether a registration of this name serves a call: its first tensor, or the first of a list, has the dtype. A name
// without a dtype serves all; a tensor whose dtype is not known is served by such alone.
bool serves(std::string_view name, const ir::Node& node);

}  // namespace tonnx::lower
