#include "program/facts/symbols.h"

#include <algorithm>
#include <cstddef>

#include "ir/checked.h"
#include "program/facts/broadcast_fit.h"

namespace tonnx::program {
namespace {

// The difference of a symbol's size from that in sample 0.
std::int64_t step(const SymbolTable& table, std::size_t sample, std::size_t symbol) {
  return table.sizes[sample][symbol] - table.sizes[0][symbol];
}

// The only symbol that differs from sample 0; -1 if there is none or there are several.
int only_symbol(const SymbolTable& table, std::size_t sample) {
  int found = -1;
  for (std::size_t k = 0; k < table.names.size(); ++k) {
    if (step(table, sample, k) == 0) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(k);
  }
  return found;
}

class Fit {
 public:
  Fit(const SymbolTable& table, std::span<const std::int64_t> values)
      : table_(table), values_(values), slopes_(table.names.size(), 0) {}

  // Computes slopes from samples that change one symbol alone. Returns false if one is not an integer or not constant.
  bool fit_slopes() {
    std::vector<bool> seen(table_.names.size(), false);
    for (std::size_t sample = 1; sample < values_.size(); ++sample) {
      const int k = only_symbol(table_, sample);
      if (k < 0) continue;
      const auto symbol = static_cast<std::size_t>(k);
      const auto rise = ir::checked_subtract(values_[sample], values_[0]);
      const std::int64_t run = step(table_, sample, symbol);
      if (!rise || ir::checked_remainder(*rise, run) != 0) return false;
      if (seen[symbol] && slopes_[symbol] != *rise / run) return false;
      slopes_[symbol] = *rise / run;
      seen[symbol] = true;
    }
    return true;
  }

  // The remainder of a sample without the linear part.
  std::int64_t rest(std::size_t sample) const {
    std::int64_t value = ir::wrapping_subtract(values_[sample], values_[0]);
    for (std::size_t k = 0; k < slopes_.size(); ++k)
      value = ir::wrapping_subtract(value, ir::wrapping_multiply(slopes_[k], step(table_, sample, k)));
    return value;
  }

  // True if the linear part fits all samples. A sum of several symbols also needs a sample that changes two at once.
  bool is_linear() const {
    std::size_t symbols = 0;
    for (const std::int64_t slope : slopes_) symbols += slope != 0;
    bool mixed = symbols < 2;
    for (std::size_t sample = 1; sample < values_.size(); ++sample) {
      if (rest(sample) != 0) return false;
      mixed = mixed || is_mixed(sample);
    }
    return mixed;
  }

  // Returns c such that c*(si - bi)*(sj - bj) is the rest of every sample; 0 if fewer than two samples show it.
  std::int64_t product(std::size_t i, std::size_t j) const {
    std::int64_t factor = 0;
    int proofs = 0;
    for (std::size_t sample = 1; sample < values_.size(); ++sample) {
      const std::int64_t area = step(table_, sample, i) * step(table_, sample, j);
      const std::int64_t left = rest(sample);
      if (area == 0) {
        if (left != 0) return 0;
        continue;
      }
      if (left == 0 || ir::checked_remainder(left, area) != 0) return 0;
      if (factor != 0 && factor != left / area) return 0;
      factor = left / area;
      ++proofs;
    }
    return proofs >= 2 ? factor : 0;
  }

  ir::Dim size(std::size_t i, std::size_t j, std::int64_t factor) const {
    const auto risen = [&](std::size_t k) { return ir::Polynomial::symbol(table_.names[k]) - table_.sizes[0][k]; };
    ir::Polynomial sum = values_[0];
    for (std::size_t k = 0; k < slopes_.size(); ++k)
      if (slopes_[k] != 0) sum = sum + risen(k) * slopes_[k];
    if (factor != 0) sum = sum + risen(i) * risen(j) * factor;
    return sum;
  }

 private:
  bool is_mixed(std::size_t sample) const {
    std::size_t changed = 0;
    for (std::size_t k = 0; k < slopes_.size(); ++k) changed += step(table_, sample, k) != 0;
    return changed >= 2;
  }

  const SymbolTable& table_;
  std::span<const std::int64_t> values_;
  std::vector<std::int64_t> slopes_;
};

}  // namespace

std::size_t SymbolTable::free_count() const {
  std::size_t count = names.size() - related.size();
  for (const Group& group : groups) count -= group.size() - 1;
  return count;
}

std::size_t SymbolTable::position(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

std::vector<std::int64_t> SymbolTable::completed(std::vector<std::int64_t> free) const {
  free.resize(names.size());
  for (const Group& group : groups)
    for (const std::size_t symbol : group) free[symbol] = free[group.front()];
  follow(free);
  return free;
}

void SymbolTable::follow(std::vector<std::int64_t>& own) const {
  for (const SizeRelation& relation : related)
    own[position(relation.symbol)] = relation.size.value(names, own).value_or(0);
}

std::vector<std::size_t> SymbolTable::broken(const std::vector<std::int64_t>& own) const {
  std::vector<std::size_t> found;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (std::ranges::any_of(groups[g], [&](std::size_t symbol) { return own[symbol] != own[groups[g].front()]; }))
      found.push_back(g);
  for (std::size_t r = 0; r < related.size(); ++r)
    if (related[r].size.value(names, own) != own[position(related[r].symbol)]) found.push_back(groups.size() + r);
  return found;
}

ir::Dim fit(const SymbolTable& table, std::span<const std::int64_t> values) {
  bool equal = true;
  for (const std::int64_t v : values) equal = equal && v == values[0];
  if (equal) return ir::Dim(values[0]);
  if (!table.groups.empty() || !table.related.empty()) return fit_broadcast(table, values);
  Fit fit(table, values);
  if (!fit.fit_slopes()) return {};
  if (fit.is_linear()) return fit.size(0, 0, 0);
  ir::Dim found;
  for (std::size_t i = 0; i < table.names.size(); ++i)
    for (std::size_t j = i + 1; j < table.names.size(); ++j)
      if (const std::int64_t factor = fit.product(i, j)) {
        if (!found.is_unknown()) return {};  // ambiguous: no sample distinguishes the symbols
        found = fit.size(i, j, factor);
      }
  return found;
}

}  // namespace tonnx::program
