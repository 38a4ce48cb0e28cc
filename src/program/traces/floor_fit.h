#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "program/traces/solve_sizes.h"

namespace tonnx::program {

// The largest integer that sizes are assumed to be divided by in the code of a trace.
inline constexpr std::int64_t kLargestDivisor = 64;

// Finds the a, b and d with floor((a*dividend + b)/d) = value in every run. Few runs leave many: the plainest (a = 1,
// b = 0, then rounding up, then the rest) is taken once no other one that fits could differ from it at a size the code
// can be run at.
class FloorFit {
 public:
  // The arguments must outlive it.
  FloorFit(const SizeTable& table, const SizeExpression& dividend, std::span<const std::int64_t> values);

  bool found() const { return !candidates_.empty(); }
  // Of what was found: the expression, or the sizes to run next.
  SizeSolution solution() const;

 private:
  // Every b from `low` to `high` fits.
  struct Candidate {
    std::int64_t factor, divisor, low, high;

    std::int64_t plainest() const;
    std::int64_t at(std::int64_t dividend, std::int64_t b) const;
  };

  const Candidate& plainest() const;
  SizeExpression expression(const Candidate& candidate) const;
  std::size_t rivals(const Candidate& chosen, std::int64_t dividend) const;
  std::optional<std::int64_t> telling_size(const Candidate& chosen, std::size_t symbol) const;
  std::optional<std::int64_t> size_of_a_new_rest(const Candidate& chosen, std::size_t symbol) const;

  const SizeTable& table_;
  const SizeExpression& dividend_;
  std::vector<std::int64_t> dividends_;  // by run
  std::vector<Candidate> candidates_;
};

}  // namespace tonnx::program
