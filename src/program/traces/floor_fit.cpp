#include "program/traces/floor_fit.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <tuple>

namespace tonnx::program {

using Kind = SizeExpression::Kind;

namespace {

constexpr std::int64_t kLargestFactor = 4;
constexpr std::size_t kEnoughRuns = 4;      // a, b and d, and one to confirm them
constexpr std::size_t kEnoughUnchosen = 6;  // if no size can be chosen that distinguishes candidates
constexpr std::size_t kFirstValues = 3;     // the values, from the least on, that runs of a part must confirm
constexpr std::int64_t kFurthest = 4;       // limit of a distinguishing size, times the largest size so far

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

std::int64_t FloorFit::Candidate::simplest() const {
  if (low <= 0 && high >= 0) return 0;
  return low <= divisor - 1 && high >= divisor - 1 ? divisor - 1 : low;
}

std::int64_t FloorFit::Candidate::at(std::int64_t dividend, std::int64_t b) const {
  return floor_divide(factor * dividend + b, divisor);
}

FloorFit::FloorFit(const SizeTable& table, const SizeExpression& dividend, std::span<const std::int64_t> values,
                   bool is_part)
    : table_(table), dividend_(dividend), is_part_(is_part) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  for (std::size_t run = 0; run < values.size(); ++run) {
    const auto value = integer_of(dividend, table.runs[run]);
    if (!value || *value < 0 || *value > kLargest || std::abs(values[run]) > kLargest) return;
    dividends_.push_back(*value);
  }
  for (std::int64_t d = 2; d <= kLargestDivisor; ++d)
    for (std::int64_t a = 1; a <= kLargestFactor; ++a) {
      if (std::gcd(a, d) != 1) continue;
      Candidate c{a, d, INT64_MIN, INT64_MAX};
      for (std::size_t run = 0; run < values.size(); ++run) {
        const std::int64_t least = d * values[run] - a * dividends_[run];
        c.low = std::max(c.low, least);
        c.high = std::min(c.high, least + d - 1);
      }
      if (c.low <= c.high) candidates_.push_back(c);
    }
}

const FloorFit::Candidate& FloorFit::simplest() const {
  const auto rank = [](const Candidate& c) {
    const std::int64_t b = c.simplest();
    return std::tuple(c.factor != 1, b != 0, b != c.divisor - 1, c.divisor, c.factor);
  };
  return *std::min_element(candidates_.begin(), candidates_.end(),
                           [&](const Candidate& x, const Candidate& y) { return rank(x) < rank(y); });
}

SizeExpression FloorFit::expression(const Candidate& c) const {
  SizeExpression dividend = add(multiply(SizeExpression::of(c.factor), dividend_), SizeExpression::of(c.simplest()));
  return call(Kind::FloorDivide, {std::move(dividend), SizeExpression::of(c.divisor)});
}

// The number of candidates, each with its least and largest b, that have another value for this dividend.
std::size_t FloorFit::rivals(const Candidate& chosen, std::int64_t dividend) const {
  const std::int64_t value = chosen.at(dividend, chosen.simplest());
  std::size_t count = 0;
  for (const Candidate& c : candidates_)
    for (const std::int64_t b : {c.low, c.high}) count += c.at(dividend, b) != value;
  return count;
}

// The size at which the most rivals have another value; empty if there is none within the limits.
std::optional<std::int64_t> FloorFit::distinguishing_size(const Candidate& chosen, std::size_t symbol) const {
  const std::vector<std::int64_t> seen = table_.of(symbol);
  const std::int64_t largest = *std::max_element(seen.begin(), seen.end());
  const std::int64_t step = table_.multiples[symbol];
  const std::vector<std::int64_t>& refused = table_.refused[symbol];
  const auto contains = [](const std::vector<std::int64_t>& list, std::int64_t size) {
    return std::find(list.begin(), list.end(), size) != list.end();
  };
  std::optional<std::int64_t> best;
  std::size_t most = 0;
  for (std::int64_t size = step * std::max<std::int64_t>(1, (2 + step - 1) / step);
       size <= std::min(table_.largest, std::max<std::int64_t>(largest * kFurthest, 2 * kLargestDivisor));
       size += step) {
    if (contains(seen, size) || contains(refused, size)) continue;
    const std::size_t count = rivals(chosen, size);
    if (count > most) {
      most = count;
      best = size;
    }
  }
  return best;
}

// A size above the example with a new remainder: code may round differently there.
std::optional<std::int64_t> FloorFit::size_of_new_remainder(const Candidate& chosen, std::size_t symbol) const {
  const std::vector<std::int64_t> seen = table_.of(symbol);
  const auto remainder = [&](std::int64_t size) {
    const std::int64_t dividend = chosen.factor * size + chosen.simplest();
    return dividend - chosen.divisor * floor_divide(dividend, chosen.divisor);
  };
  std::set<std::int64_t> remainders;
  for (const std::int64_t size : seen)
    if (size > seen[0]) remainders.insert(remainder(size));
  const std::vector<std::int64_t>& refused = table_.refused[symbol];
  const std::int64_t largest = *std::max_element(seen.begin(), seen.end());
  for (std::int64_t size = largest - table_.multiples[symbol]; size > seen[0]; size -= table_.multiples[symbol])
    if (std::find(seen.begin(), seen.end(), size) == seen.end() && !remainders.contains(remainder(size)) &&
        std::find(refused.begin(), refused.end(), size) == refused.end())
      return size;
  return std::nullopt;
}

// The least size, among those between the runs, at which one of the first values occurs that no run has.
std::optional<std::int64_t> FloorFit::size_of_new_value(const Candidate& chosen, std::size_t symbol) const {
  const std::vector<std::int64_t> seen = table_.of(symbol);
  const std::vector<std::int64_t>& refused = table_.refused[symbol];
  const auto value = [&](std::int64_t size) { return chosen.at(size, chosen.simplest()); };
  std::set<std::int64_t> values, first;
  for (const std::int64_t size : seen) values.insert(value(size));
  const auto [least, largest] = std::ranges::minmax(seen);
  for (std::int64_t size = least; size < largest && first.size() <= kFirstValues; size += table_.multiples[symbol]) {
    const bool is_new = first.insert(value(size)).second && !values.contains(value(size));
    if (is_new && std::ranges::find(refused, size) == refused.end()) return size;
  }
  return std::nullopt;
}

SizeSolution FloorFit::solution() const {
  const Candidate& chosen = simplest();
  SizeSolution out;
  const bool is_symbol = dividend_.kind == Kind::Size && static_cast<std::size_t>(dividend_.integer) < table_.symbols;
  const std::size_t runs = dividends_.size();
  out.wanted.assign(table_.symbols, 0);
  std::optional<std::int64_t> next_size;
  if (is_symbol) {
    const auto symbol = static_cast<std::size_t>(dividend_.integer);
    next_size = distinguishing_size(chosen, symbol);
    if (!next_size && runs < kEnoughUnchosen) next_size = size_of_new_remainder(chosen, symbol);
    if (!next_size && is_part_) next_size = size_of_new_value(chosen, symbol);
    out.wanted[symbol] = next_size.value_or(0);
  }
  const bool natural = chosen.simplest() == 0 || chosen.simplest() == chosen.divisor - 1;
  const bool enough = is_symbol ? runs >= kEnoughRuns && !next_size : runs >= kEnoughUnchosen && natural;
  if (!enough) return out;
  out.wanted.clear();
  out.expression = expression(chosen);
  return out;
}

}  // namespace tonnx::program
