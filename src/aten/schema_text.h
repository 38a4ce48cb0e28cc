#pragma once

#include <string_view>

#include "ir/schema.h"

namespace tonnx::aten {

// Parses a schema in ATen's notation: "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) ->
// Tensor(a!)". SymInt is read as int; lists of fixed length ("int[2]") are read as lists; an alias on a list's element
// ("Tensor(a)[]") becomes the list's; of several alias sets ("t(b|a)") the alphabetically first is used. Throws
// Error(Code::Internal) on a syntax error.
ir::Schema parse_schema(std::string_view text);

}  // namespace tonnx::aten
