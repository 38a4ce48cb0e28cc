#include "program/facts/relate_symbols.h"

#include <algorithm>
#include <utility>

#include "program/control/subsets.h"

namespace tonnx::program {

using ir::Polynomial;

namespace {

constexpr std::size_t kEqual = 6;           // up to here every subset of the symbols of one size is tried
constexpr std::size_t kMostEqual = 30;      // symbols of one size; above, none is tried
constexpr std::int64_t kLargestOffset = 8;  // of one size over another
constexpr std::size_t kAlternatives = 32;   // relations tried after those of equal sizes

using Alternatives = std::vector<std::vector<SizeRelation>>;

class Relater {
 public:
  Relater(const std::vector<FreeSymbol>& symbols, std::size_t fixed) : symbols_(symbols), fixed_(fixed) {}

  Alternatives run() {
    add_equal();
    const std::size_t limit = found_.size() + kAlternatives;
    for (std::size_t a = 0; a < symbols_.size(); ++a)
      for (std::size_t b = a + 1; b < symbols_.size(); ++b)
        for (std::size_t c = b + 1; c < symbols_.size(); ++c)
          if (a != fixed_ && b != fixed_ && c != fixed_) add_combinations({fixed_, a, b, c});
    for (std::size_t a = 0; a < symbols_.size(); ++a)
      for (std::size_t b = a + 1; b < symbols_.size(); ++b)
        if (a != fixed_ && b != fixed_) add_combinations({fixed_, a, b});
    for (std::size_t a = 0; a < symbols_.size(); ++a)
      if (a != fixed_) add_multiples_and_offsets(fixed_, a);
    if (found_.size() > limit) found_.resize(limit);
    return std::move(found_);
  }

 private:
  Polynomial size_of(std::size_t k) const { return Polynomial::symbol(symbols_[k].name); }

  // Each symbol alone, those of the same axis of their inputs, and all.
  std::vector<Subset> likely_choices(const std::vector<std::size_t>& same) const {
    std::vector<Subset> choices;
    Subset of_axis;
    for (std::size_t i = 0; i < same.size(); ++i) {
      choices.emplace_back(same.size(), false)[i] = true;
      of_axis.push_back(symbols_[same[i]].axis == symbols_[fixed_].axis);
    }
    if (std::ranges::find(of_axis, true) != of_axis.end()) choices.push_back(std::move(of_axis));
    choices.emplace_back(same.size(), true);
    return choices;
  }

  // Adds relations of the fixed symbol with symbols of equal size, the fewest first; all follow the first one.
  void add_equal() {
    std::vector<std::size_t> same;
    for (std::size_t k = 0; k < symbols_.size(); ++k)
      if (k != fixed_ && symbols_[k].size == symbols_[fixed_].size) same.push_back(k);
    if (same.empty() || same.size() > kMostEqual) return;
    for (const Subset& choice : same.size() > kEqual ? likely_choices(same) : every_choice(same.size())) {
      std::vector<std::size_t> chosen = {fixed_};
      for (std::size_t i = 0; i < same.size(); ++i)
        if (choice[i]) chosen.push_back(same[i]);
      std::sort(chosen.begin(), chosen.end());
      std::vector<SizeRelation> relations;
      for (std::size_t i = 1; i < chosen.size(); ++i)
        relations.push_back({symbols_[chosen[i]].name, size_of(chosen.front())});
      found_.push_back(std::move(relations));
    }
  }

  void add_multiples_and_offsets(std::size_t a, std::size_t b) {
    if (symbols_[a].size > symbols_[b].size) std::swap(a, b);
    const std::int64_t small = symbols_[a].size, large = symbols_[b].size;
    if (small == large) return;
    if (small > 1 && large % small == 0) add(b, size_of(a) * (large / small));
    if (large - small <= kLargestOffset) add(b, size_of(a) + (large - small));
  }

  // Adds the largest symbol as the sum, or a multiple of the product, of the others.
  void add_combinations(std::vector<std::size_t> of) {
    std::ranges::stable_sort(of, {}, [&](std::size_t k) { return symbols_[k].size; });
    const std::size_t largest = of.back();
    of.pop_back();
    std::int64_t sum = 0, product = 1;
    Polynomial total = 0, volume = 1;
    for (const std::size_t k : of) {
      sum += symbols_[k].size;
      if (__builtin_mul_overflow(product, symbols_[k].size, &product)) return;
      total = total + size_of(k);
      volume = volume * size_of(k);
    }
    const std::int64_t size = symbols_[largest].size;
    if (size == sum) add(largest, total);
    if (symbols_[of.front()].size > 1 && size % product == 0) add(largest, volume * (size / product));
  }

  void add(std::size_t k, Polynomial size) { found_.push_back({{symbols_[k].name, std::move(size)}}); }

  const std::vector<FreeSymbol>& symbols_;
  std::size_t fixed_;
  Alternatives found_;
};

}  // namespace

std::vector<std::vector<SizeRelation>> possible_relations(const std::vector<FreeSymbol>& symbols,
                                                          const std::string& symbol) {
  const auto at = std::ranges::find(symbols, symbol, &FreeSymbol::name);
  return Relater(symbols, static_cast<std::size_t>(at - symbols.begin())).run();
}

}  // namespace tonnx::program
