#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "program/traces/solve_sizes.h"

namespace tonnx::program {

// The largest divisor of a size that traced code is assumed to use.
inline constexpr std::int64_t kLargestDivisor = 64;

// Finds a, b and d with floor((a*dividend + b)/d) = value in every run. Few runs leave many candidates. The simplest
// one (a = 1, b = 0, then rounding up, then others) is accepted once no other candidate differs from it at a size at
// which the code can run.
class FloorFit {
 public:
  // The arguments must outlive it. `is_part`: the values are those of the runs that a limit does not bind. The fit must
  // then also hold for its first values, since the runs that are left may fit by chance.
  FloorFit(const SizeTable& table, const SizeExpression& dividend, std::span<const std::int64_t> values, bool is_part);

  bool found() const { return !candidates_.empty(); }
  // The expression of the simplest candidate, or the sizes to run next. Requires found().
  SizeSolution solution() const;

 private:
  // Fits with every b from `low` to `high`.
  struct Candidate {
    std::int64_t factor, divisor, low, high;

    std::int64_t simplest() const;
    std::int64_t at(std::int64_t dividend, std::int64_t b) const;
  };

  const Candidate& simplest() const;
  SizeExpression expression(const Candidate& candidate) const;
  std::size_t rivals(const Candidate& chosen, std::int64_t dividend) const;
  std::optional<std::int64_t> distinguishing_size(const Candidate& chosen, std::size_t symbol) const;
  std::optional<std::int64_t> size_of_new_remainder(const Candidate& chosen, std::size_t symbol) const;
  std::optional<std::int64_t> size_of_new_value(const Candidate& chosen, std::size_t symbol) const;

  const SizeTable& table_;
  const SizeExpression& dividend_;
  std::vector<std::int64_t> dividends_;  // by run
  std::vector<Candidate> candidates_;
  const bool is_part_;
};

}  // namespace tonnx::program
