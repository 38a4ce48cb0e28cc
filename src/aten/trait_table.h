#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aten/traits.h"
#include "ir/error.h"

namespace tonnx::aten {

// The rows of several families by name: `R` has a name `op` and `traits`.
template <class R>
class Rows {
 public:
  using Traits = decltype(R::traits);

  // Throws Error(Code::Internal) where two rows have one name.
  explicit Rows(std::initializer_list<std::span<const R>> families) {
    for (const auto family : families) {
      for (const R& row : family) {
        if (!by_name_.emplace(row.op, &row).second)
          throw ir::Error(ir::Code::Internal, "operator " + std::string(row.op) + " has two rows of traits");
        rows_.push_back(&row);
      }
    }
  }

  // The row of an operator's overload, else the row of the operator, else that of its domain, else no traits at all.
  const Traits& of(std::string_view name, std::string_view overload) const {
    static const Traits none;
    if (!overload.empty())
      if (const Traits* traits = find(std::string(name) + "." + std::string(overload))) return *traits;
    if (const Traits* traits = find(name)) return *traits;
    const std::size_t colons = name.find("::");
    if (colons == std::string_view::npos) return none;
    const Traits* traits = find(std::string(name.substr(0, colons + 2)) + "*");
    return traits ? *traits : none;
  }
  std::span<const R* const> rows() const { return rows_; }

 private:
  const Traits* find(std::string_view op) const {
    const auto found = by_name_.find(op);
    return found == by_name_.end() ? nullptr : &found->second->traits;
  }

  std::unordered_map<std::string_view, const R*> by_name_;
  std::vector<const R*> rows_;
};

using TraitTable = Rows<Row>;

// All families.
const TraitTable& trait_table();

}  // namespace tonnx::aten
