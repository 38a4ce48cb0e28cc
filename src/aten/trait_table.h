#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aten/traits.h"

namespace tonnx::aten {

// The rows of several families by name.
class TraitTable {
 public:
  // Throws Error(Code::Internal) where two rows have one name.
  explicit TraitTable(std::initializer_list<std::span<const Row>> families);

  // Null if there is no row of exactly that name.
  const Traits* find(std::string_view op) const;
  std::span<const Row* const> rows() const { return rows_; }

 private:
  std::unordered_map<std::string_view, const Row*> by_name_;
  std::vector<const Row*> rows_;
};

// All families.
const TraitTable& trait_table();

}  // namespace tonnx::aten
