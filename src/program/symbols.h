#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/facts.h"
#include "ir/polynomial.h"

namespace tonnx::program {

// The sizes every symbol has in each run ("sample") of a program. Sample 0 holds the example sizes.
struct SymbolTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::int64_t>> sizes;  // sizes[sample][symbol]
};

// An axis of a graph input whose size is open: a symbol, or a polynomial of the symbols of other axes.
struct OpenAxis {
  std::size_t input;
  std::size_t axis;
  ir::Polynomial size;
};

// The dimension that is values[sample] in every sample: a fixed size, an integer polynomial of the symbols with at most
// one product of two of them ("batch", "2*batch + 1", "batch*seq + seq"), or unknown.
ir::Dim fit(const SymbolTable& table, std::span<const std::int64_t> values);

}  // namespace tonnx::program
