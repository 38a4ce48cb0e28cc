#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ir/polynomial.h"

namespace tonnx::exported {

// Parses sympy's text in either form, "Add(Symbol('s0', positive=True), Integer(1))" or "s0 + 1". `names` renames
// symbols. The result is not valid if the text is not supported.
ir::Polynomial parse_expression(std::string_view text, const std::map<std::string, std::string>& names = {});

}  // namespace tonnx::exported
