#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ir/polynomial.h"

namespace tonnx::exported {

// Reads sympy's text in either of its forms, "Add(Symbol('s0', positive=True), Integer(1))" and "s0 + 1". `names`
// gives symbols other names. What is not understood is not valid.
ir::Polynomial parse_expression(std::string_view text, const std::map<std::string, std::string>& names = {});

}  // namespace tonnx::exported
