#include "program/broadcast_fit.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tonnx::program {

using ir::Polynomial;
using Group = SymbolTable::Group;

namespace {

constexpr std::size_t kMostChosen = 4;  // of so many things every choice is made

// The samples in which the symbols of each group have one size, with the free symbols alone.
std::pair<SymbolTable, std::vector<std::int64_t>> together(const SymbolTable& table, std::span<const std::int64_t> values) {
  const auto count = static_cast<std::ptrdiff_t>(table.free_count());
  SymbolTable free{{table.names.begin(), table.names.begin() + count}, {}};
  std::vector<std::int64_t> seen;
  for (std::size_t sample = 0; sample < values.size(); ++sample) {
    if (table.is_apart(sample)) continue;
    free.sizes.emplace_back(table.sizes[sample].begin(), table.sizes[sample].begin() + count);
    seen.push_back(values[sample]);
  }
  return {std::move(free), std::move(seen)};
}

// The group without symbols that have the size of one before them in every sample.
Group distinct(const SymbolTable& table, const Group& group) {
  Group kept;
  for (const std::size_t symbol : group) {
    const auto is_same = [&](std::size_t other) {
      return std::ranges::all_of(table.sizes, [&](const auto& sizes) { return sizes[symbol] == sizes[other]; });
    };
    if (std::ranges::none_of(kept, is_same)) kept.push_back(symbol);
  }
  return kept;
}

class BroadcastFit {
 public:
  BroadcastFit(const SymbolTable& table, std::span<const std::int64_t> values) : table_(table), values_(values) {}

  // `size` with symbols of the group in place of its first one, as its samples tell.
  std::optional<Polynomial> spread(const Polynomial& size, const Group& group) const {
    for (const Polynomial& one : sizes_of(group)) {
      Polynomial with = size.with({{table_.names[group.front()], one}});
      if (fits(with, group)) return with;
    }
    return spread_sum(size, group);
  }

 private:
  // Those that the group may have broadcast: one symbol's, or the larger of several.
  std::vector<Polynomial> sizes_of(const Group& group) const {
    std::vector<Polynomial> symbols, found;
    for (const std::size_t symbol : group) symbols.push_back(Polynomial::symbol(table_.names[symbol]));
    found = symbols;
    for (const std::vector<bool>& choice : choices_of(group.size())) {
      std::vector<Polynomial> chosen;
      for (std::size_t i = 0; i < group.size(); ++i)
        if (choice[i]) chosen.push_back(symbols[i]);
      if (chosen.size() > 1) found.push_back(Polynomial::call(ir::SizeFunction::Max, std::move(chosen)));
    }
    found.push_back(Polynomial::call(ir::SizeFunction::Max, std::move(symbols)));
    return found;
  }

  // A multiple of the group's first symbol shared out to its symbols; each one's part is what changes where it alone is 1.
  std::optional<Polynomial> spread_sum(const Polynomial& size, const Group& group) const {
    const std::string& first = table_.names[group.front()];
    const auto slope = (size.with({{first, Polynomial::symbol(first) + 1}}) - size).constant();
    if (!slope || *slope < 1) return std::nullopt;
    Polynomial sum = size - Polynomial::symbol(first) * *slope;
    std::int64_t left = *slope;
    for (const std::size_t symbol : group) {
      const std::int64_t part = part_of(symbol, group);
      if (part < 0 || part > left) return std::nullopt;
      sum = sum + Polynomial::symbol(table_.names[symbol]) * part;
      left -= part;
    }
    for (const Polynomial& one : sizes_of(group))
      if (Polynomial with = sum + one * left; fits(with, group)) return with;
    return std::nullopt;
  }

  std::int64_t part_of(std::size_t symbol, const Group& group) const {
    for (std::size_t sample = 1; sample < values_.size(); ++sample) {
      const auto is_as_before = [&](std::size_t other) {
        return (table_.sizes[sample][other] == table_.sizes[0][other]) == (other != symbol);
      };
      if (!table_.is_apart(sample, group) || !std::ranges::all_of(group, is_as_before)) continue;
      const std::int64_t rise = values_[sample] - values_[0], run = table_.sizes[sample][symbol] - table_.sizes[0][symbol];
      return rise % run == 0 ? rise / run : 0;
    }
    return 0;
  }

  bool fits(const Polynomial& size, const Group& group) const {
    for (std::size_t sample = 0; sample < values_.size(); ++sample)
      if (table_.is_apart(sample, group) && size.value(table_.names, table_.sizes[sample]) != values_[sample]) return false;
    return true;
  }

  const SymbolTable& table_;
  std::span<const std::int64_t> values_;
};

}  // namespace

std::vector<std::vector<bool>> choices_of(std::size_t count) {
  std::vector<std::vector<bool>> choices;
  if (count <= kMostChosen) {
    for (unsigned bits = 1; bits + 1 < 1U << count; ++bits) {
      std::vector<bool>& choice = choices.emplace_back();
      for (std::size_t i = 0; i < count; ++i) choice.push_back(bits >> i & 1U);
    }
    std::ranges::stable_sort(choices, {}, [](const auto& choice) { return std::ranges::count(choice, true); });
    return choices;
  }
  for (const bool is_alone : {true, false})
    for (std::size_t i = 0; i < count; ++i) choices.emplace_back(count, !is_alone)[i] = is_alone;
  return choices;
}

ir::Dim fit_broadcast(const SymbolTable& table, std::span<const std::int64_t> values) {
  const auto [free, seen] = together(table, values);
  const ir::Dim found = fit(free, seen);
  if (found.is_unknown()) return {};
  Polynomial size = found.is_fixed() ? Polynomial(found.size()) : *found.polynomial();
  const BroadcastFit fit(table, values);
  for (const Group& group : table.groups) {
    std::optional<Polynomial> spread = fit.spread(size, distinct(table, group));
    if (!spread) return {};
    size = *std::move(spread);
  }
  return size;
}

}  // namespace tonnx::program
