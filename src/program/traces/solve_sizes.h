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

// The sizes of several runs of one code: those of the symbols, which the caller chooses, then those of computed values.
struct SizeTable {
  std::vector<std::string> names;
  std::size_t symbols = 0;
  std::vector<std::vector<std::int64_t>> runs;     // runs[run][size]
  std::vector<std::int64_t> multiples;             // by symbol: the code runs only at multiples of this
  std::vector<std::vector<std::int64_t>> refused;  // by symbol: sizes at which the code does not run
  std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // of a size in `wanted`

  std::vector<std::int64_t> of(std::size_t size) const;  // its value in every run
};

// How a number of a program, known in each run, follows from the sizes.
struct SizeSolution {
  // Yields the value of every run, and has fewer parameters than there are runs.
  std::optional<SizeExpression> expression;
  // Without an expression: for each symbol, the size of one more run that would distinguish candidates, 0 for any new
  // size. Empty if no known form fits the values.
  std::vector<std::int64_t> wanted;
};

// Solves for integers: sums and products of sizes with integer coefficients, their floor quotients and remainders, and
// the minimum or maximum of two of these, or of one and a limit. `values`: one per run, not all equal.
SizeSolution solve(const SizeTable& table, std::span<const std::int64_t> values);

// Solves for floats: the forms for integers, and quotients, square roots and logarithms of them, times a constant.
SizeSolution solve(const SizeTable& table, std::span<const double> values);

}  // namespace tonnx::program
