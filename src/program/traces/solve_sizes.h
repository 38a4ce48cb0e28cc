#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/traces/size_expression.h"

namespace tonnx::program {

// The sizes seen in several runs of one code: first the symbols', which a caller chooses, then those of values on the
// way, which follow.
struct SizeTable {
  std::vector<std::string> names;
  std::size_t symbols = 0;
  std::vector<std::vector<std::int64_t>> runs;     // runs[run][size]
  std::vector<std::int64_t> multiples;             // by symbol: the code runs at multiples of this alone
  std::vector<std::vector<std::int64_t>> refused;  // by symbol: sizes at which the code does not run
  std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // that may be asked for

  std::vector<std::int64_t> of(std::size_t size) const;  // its value in every run
};

// What a number of a program is that had one value in each run.
struct SizeSolution {
  // Gives the value of every run, and has fewer parameters than there are runs.
  std::optional<SizeExpression> expression;
  // Where there is none: one size a symbol at which one more run would tell more, 0 for any new size; or nothing, where
  // no arithmetic this function knows gives the values.
  std::vector<std::int64_t> wanted;
};

// Integers: sums and products of sizes with integer coefficients, floor quotients of them, and the smaller or larger of
// two, or of one of these and a limit. `values`: one a run, not all equal.
SizeSolution solve(const SizeTable& table, std::span<const std::int64_t> values);

// Floats: what solve() finds for integers, and quotients, square roots and logarithms of it, times a constant.
SizeSolution solve(const SizeTable& table, std::span<const double> values);

}  // namespace tonnx::program
