#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

// An axis of a program's input whose size is open: a symbol's, or one that follows from the symbols of other axes.
struct InputAxis {
  std::size_t input;  // position among the program's inputs
  std::size_t axis;
  std::string symbol;                          // axes of one symbol always have one size
  std::int64_t example = 0;                    // the example's size; 0: as the input's facts say
  std::optional<ir::Polynomial> follows = {};  // the size, in other symbols; absent where the symbol is free

  ir::Polynomial size() const { return follows ? *follows : ir::Polynomial::symbol(symbol); }
};

// The dimension that is values[sample] in every sample: a fixed size, an integer polynomial of the symbols with at most
// one product of two of them ("batch", "2*batch + 1", "batch*seq + seq"), or unknown.
ir::Dim fit(const SymbolTable& table, std::span<const std::int64_t> values);

}  // namespace tonnx::program
