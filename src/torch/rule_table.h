#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>

#include "torch/meta_rule.h"

namespace tonnx::torch {

// The rules of several families by name.
class RuleTable {
 public:
  // Throws Error(Code::Internal) if two rules have the same name.
  explicit RuleTable(std::initializer_list<std::span<const NamedRule>> families);
  // Finds the rule of an overload, else that of all overloads; null if there is none.
  Rule find(std::string_view name, std::string_view overload) const;

 private:
  std::unordered_map<std::string_view, Rule> by_name_;
};

}  // namespace tonnx::torch
