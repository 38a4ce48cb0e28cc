#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aten/traits.h"
#include "ir/error.h"

namespace tonnx::aten {

// The rows of several families by name: `R` has a name `op` and `traits`. A name is that of an overload
// ("aten::add.out"), of an operator ("aten::add") or of a whole domain ("dist::*"). Called often for every node, so a
// look-up creates no string.
template <class R>
class Rows {
 public:
  using Traits = decltype(R::traits);

  // Throws Error(Code::Internal) if two rows have the same name.
  explicit Rows(std::initializer_list<std::span<const R>> families) {
    for (const auto family : families) {
      for (const R& row : family) {
        const R*& place = place_of(row.op);
        if (place) throw ir::Error(ir::Code::Internal, "operator " + std::string(row.op) + " has two rows of traits");
        place = &row;
        rows_.push_back(&row);
      }
    }
  }

  // The row of an operator's overload, else the row of the operator, else that of its domain, else empty traits.
  const Traits& of(std::string_view name, std::string_view overload) const {
    static const Traits none{};
    if (const auto found = operators_.find(name); found != operators_.end()) {
      for (const auto& [own, row] : found->second.overloads)
        if (own == overload) return row->traits;
      if (found->second.all) return found->second.all->traits;
    }
    const std::size_t colons = name.find("::");
    const auto domain = colons == std::string_view::npos ? domains_.end() : domains_.find(name.substr(0, colons));
    return domain == domains_.end() ? none : domain->second->traits;
  }
  std::span<const R* const> rows() const { return rows_; }

 private:
  struct Operator {
    const R* all = nullptr;
    std::vector<std::pair<std::string_view, const R*>> overloads;
  };

  const R*& place_of(std::string_view op) {
    if (op.ends_with("::*")) return domains_[op.substr(0, op.size() - 3)];
    const std::size_t dot = op.find('.');
    Operator& of_name = operators_[op.substr(0, dot)];
    if (dot == std::string_view::npos) return of_name.all;
    const std::string_view overload = op.substr(dot + 1);
    for (auto& [own, row] : of_name.overloads)
      if (own == overload) return row;
    return of_name.overloads.emplace_back(overload, nullptr).second;
  }

  std::unordered_map<std::string_view, Operator> operators_;
  std::unordered_map<std::string_view, const R*> domains_;
  std::vector<const R*> rows_;
};

using TraitTable = Rows<Row>;

// All families.
const TraitTable& trait_table();

}  // namespace tonnx::aten
