#pragma once

#include <string_view>

#include "ir/schema.h"

namespace tonnx::aten {

// Reads a schema written as ATen writes it: "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) ->
// Tensor(a!)". SymInt reads as int; fixed list lengths ("int[2]") read as lists; an alias on a list's element
// ("Tensor(a)[]") is the list's; of several alias sets ("t(b|a)") the first in the alphabet counts. Throws
// Error(Code::Internal) on text it cannot read.
ir::Schema parse_schema(std::string_view text);

}  // namespace tonnx::aten
