#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/facts.h"

namespace tonnx::exported {

// An expression of named sizes, brought to one form: an integer polynomial of symbols and of what is no polynomial
// ("s0//2", "max(s0, s1)"), each of which is an atom of its own. Two expressions of one text are equal in every run.
class Expression {
 public:
  using Product = std::vector<std::string>;  // its atoms, sorted; empty: the constant term

  Expression() = default;  // unknown
  static Expression integer(std::int64_t value);
  static Expression atom(std::string text);

  bool is_known() const { return known_; }
  // A fixed size, a symbolic one, or unknown; negative sizes are unknown.
  ir::Dim dim() const;
  std::string text() const;

  Expression operator+(const Expression& other) const;
  Expression operator*(const Expression& other) const;

 private:
  std::map<Product, std::int64_t> terms_;
  bool known_ = false;
};

// Reads sympy's text in either of its forms, "Add(Symbol('s0', positive=True), Integer(1))" and "s0 + 1". `names`
// gives symbols other names. What is not understood is unknown.
Expression parse_expression(std::string_view text, const std::map<std::string, std::string>& names = {});

}  // namespace tonnx::exported
