#pragma once

#include <cstdint>
#include <optional>

#include "ir/constant_facts.h"
#include "ir/graph.h"
#include "ir/value_table.h"

namespace tonnx::ir {

// The facts of values: those in a table that an analysis fills, which must outlive the view; the program's own for
// values that are not in it, or without a table.
class FactsView {
 public:
  FactsView() = default;
  explicit FactsView(const ValueTable<Facts>& table) : table_(&table) {}

  const Facts& of(const Value* value) const {
    const Facts* found = table_ ? table_->find(value) : nullptr;
    return found ? *found : value->facts();
  }
  const Constant* constant(const Value* value) const { return of(value).constant.get(); }

  // Like constant_integer(), constant_truth() and is_none(). `value` may be null.
  std::optional<std::int64_t> integer(const Value* value) const { return number<std::int64_t>(value); }
  std::optional<bool> truth(const Value* value) const { return number<bool>(value); }
  bool is_none(const Value* value) const {
    return !value || value->type().is(Type::Kind::None) || (constant(value) && constant(value)->is_none());
  }
  // The non-negative equivalent of a constant index into `count` items. Empty if it is unknown or out of range.
  std::optional<std::size_t> index(const Value* value, std::size_t count) const {
    const auto known = integer(value);
    return known ? item_at(*known, count) : std::nullopt;
  }

 private:
  template <class Number>
  std::optional<Number> number(const Value* value) const {
    const Constant* known = value ? constant(value) : nullptr;
    const Number* found = known ? known->get<Number>() : nullptr;
    return found ? std::optional(*found) : std::nullopt;
  }

  const ValueTable<Facts>* table_ = nullptr;
};

}  // namespace tonnx::ir
