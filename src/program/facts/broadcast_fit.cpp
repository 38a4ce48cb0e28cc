#include "program/facts/broadcast_fit.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/checked.h"
#include "program/control/subsets.h"

namespace tonnx::program {

using ir::Polynomial;
using Group = SymbolTable::Group;

namespace {

class BroadcastFit {
 public:
  BroadcastFit(const SymbolTable& table, std::span<const std::int64_t> values) : table_(table), values_(values) {
    for (std::size_t sample = 0; sample < values.size(); ++sample) broken_.push_back(table.broken(table.sizes[sample]));
  }

  ir::Dim run() const {
    const ir::Dim found = fit_together();
    if (found.is_unknown()) return {};
    std::optional<Polynomial> size = found.is_fixed() ? Polynomial(found.size()) : *found.polynomial();
    for (std::size_t g = 0; g < table_.groups.size() && size; ++g) size = spread(*size, g);
    for (std::size_t r = 0; r < table_.related.size() && size; ++r) size = spread_related(*size, r);
    for (std::size_t sample = 0; sample < values_.size() && size; ++sample)
      if (size->value(table_.names, table_.sizes[sample]) != values_[sample]) return {};
    return size ? ir::Dim(*std::move(size)) : ir::Dim();
  }

 private:
  // Fits the samples that break nothing, in free symbols. Relations first: they may have more products than fit()
  // finds.
  ir::Dim fit_together() const {
    for (const SizeRelation& relation : table_.related)
      if (fits(relation.size, {})) return relation.size;
    const auto count = static_cast<std::ptrdiff_t>(table_.free_count());
    SymbolTable free{{table_.names.begin(), table_.names.begin() + count}, {}};
    std::vector<std::int64_t> seen;
    for (std::size_t sample = 0; sample < values_.size(); ++sample) {
      if (!broken_[sample].empty()) continue;
      free.sizes.emplace_back(table_.sizes[sample].begin(), table_.sizes[sample].begin() + count);
      seen.push_back(values_[sample]);
    }
    return fit(free, seen);
  }

  // Replaces the group's first symbol in `size` so that it fits the samples that break this group only.
  std::optional<Polynomial> spread(const Polynomial& size, std::size_t which) const {
    const Group group = distinct(table_.groups[which]);
    const std::vector<Polynomial> sizes = sizes_of(group);
    for (const Polynomial& one : sizes) {
      Polynomial with = size.with({{table_.names[group.front()], one}});
      if (fits(with, {which})) return with;
    }
    return split_multiple(size, group, which, sizes);
  }

  // Drops symbols that equal an earlier one in every sample.
  Group distinct(const Group& group) const {
    Group distinct_symbols;
    for (const std::size_t symbol : group) {
      const auto is_same = [&](std::size_t other) {
        return std::ranges::all_of(table_.sizes, [&](const auto& sizes) { return sizes[symbol] == sizes[other]; });
      };
      if (std::ranges::none_of(distinct_symbols, is_same)) distinct_symbols.push_back(symbol);
    }
    return distinct_symbols;
  }

  // The sizes that the broadcast group may have: one symbol, or the maximum of several.
  std::vector<Polynomial> sizes_of(const Group& group) const {
    std::vector<Polynomial> symbols, found;
    for (const std::size_t symbol : group) symbols.push_back(Polynomial::symbol(table_.names[symbol]));
    found = symbols;
    for (const Subset& choice : choices_of_some(group.size())) {
      std::vector<Polynomial> chosen;
      for (std::size_t i = 0; i < group.size(); ++i)
        if (choice[i]) chosen.push_back(symbols[i]);
      if (chosen.size() > 1) found.push_back(Polynomial::call(ir::SizeFunction::Max, std::move(chosen)));
    }
    if (symbols.size() > 1) found.push_back(Polynomial::call(ir::SizeFunction::Max, std::move(symbols)));
    return found;
  }

  // Splits a multiple of the group's first symbol into multiples of its symbols. The part of a symbol is the slope in
  // the sample in which it alone is 1. The rest is a multiple of one of `sizes`.
  std::optional<Polynomial> split_multiple(const Polynomial& size, const Group& group, std::size_t which,
                                           const std::vector<Polynomial>& sizes) const {
    const std::string& first = table_.names[group.front()];
    const auto slope = slope_of(size, first);
    if (!slope || *slope < 1) return std::nullopt;
    Polynomial sum = size - Polynomial::symbol(first) * *slope;
    std::int64_t left = *slope;
    for (const std::size_t symbol : group) {
      const std::int64_t part = part_of(symbol, group, which);
      if (part < 0 || part > left) return std::nullopt;
      sum = sum + Polynomial::symbol(table_.names[symbol]) * part;
      left -= part;
    }
    for (const Polynomial& one : sizes)
      if (Polynomial with = sum + one * left; fits(with, {which})) return with;
    return std::nullopt;
  }

  // The coefficient of the symbol, if `size` is linear in it with a constant one.
  static std::optional<std::int64_t> slope_of(const Polynomial& size, const std::string& symbol) {
    return (size.with({{symbol, Polynomial::symbol(symbol) + 1}}) - size).constant();
  }

  std::int64_t part_of(std::size_t symbol, const Group& group, std::size_t which) const {
    for (std::size_t sample = 1; sample < values_.size(); ++sample) {
      const auto is_as_before = [&](std::size_t other) {
        return (table_.sizes[sample][other] == table_.sizes[0][other]) == (other != symbol);
      };
      if (broken_[sample] != std::vector{which} || !std::ranges::all_of(group, is_as_before)) continue;
      const auto rise = ir::checked_subtract(values_[sample], values_[0]);
      const std::int64_t run = table_.sizes[sample][symbol] - table_.sizes[0][symbol];
      return rise && ir::checked_remainder(*rise, run) == 0 ? *rise / run : 0;
    }
    return 0;
  }

  // Replaces the size of a relation in `size` by its symbol, or by the maximum of both.
  std::optional<Polynomial> spread_related(const Polynomial& size, std::size_t r) const {
    const std::size_t which = table_.groups.size() + r;
    if (fits(size, {which})) return size;
    const SizeRelation& relation = table_.related[r];
    const std::string first = *relation.size.symbols().begin();
    const auto slope = slope_of(size, first), step = slope_of(relation.size, first);
    if (!slope || !step || *step < 1 || *slope % *step != 0) return std::nullopt;
    const std::int64_t times = *slope / *step;
    const Polynomial rest = size - relation.size * times;
    Polynomial own = Polynomial::symbol(relation.symbol) * times + rest;
    if (fits(own, {which})) return own;
    const Polynomial larger = Polynomial::call(ir::SizeFunction::Max, {size, own});
    return larger.is_valid() && fits(larger, {which}) ? std::optional(larger) : std::nullopt;
  }

  // True if `size` fits the samples that break exactly these.
  bool fits(const Polynomial& size, const std::vector<std::size_t>& which) const {
    for (std::size_t sample = 0; sample < values_.size(); ++sample)
      if (broken_[sample] == which && size.value(table_.names, table_.sizes[sample]) != values_[sample]) return false;
    return true;
  }

  const SymbolTable& table_;
  std::span<const std::int64_t> values_;
  std::vector<std::vector<std::size_t>> broken_;  // by sample: the groups and relations that it breaks
};

}  // namespace

ir::Dim fit_broadcast(const SymbolTable& table, std::span<const std::int64_t> values) {
  return BroadcastFit(table, values).run();
}

}  // namespace tonnx::program
