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

// A symbol whose size follows from those of others.
struct SizeRelation {
  std::string symbol;
  ir::Polynomial size;
};

// The sizes every symbol has in each run ("sample") of a program. Sample 0 holds the example sizes.
struct SymbolTable {
  // Symbols of axes that are broadcast with each other: they have one size, but for those that are 1. Positions in
  // `names`, the one of a free symbol first.
  using Group = std::vector<std::size_t>;

  std::vector<std::string> names;                // the free ones first
  std::vector<std::vector<std::int64_t>> sizes;  // sizes[sample][symbol]
  std::vector<Group> groups = {};
  std::vector<SizeRelation> related =
      {};  // symbols that have a size of free ones, but where they or one of these are 1

  std::size_t free_count() const;
  std::size_t position(const std::string& name) const;
  // The sizes of all symbols, by those of the free ones.
  std::vector<std::int64_t> completed(std::vector<std::int64_t> free) const;
  // Gives the related symbols the sizes that follow from those of the others.
  void follow(std::vector<std::int64_t>& own) const;
  // The groups and relations that sizes of all symbols break: positions in `groups`, those in `related` behind them.
  std::vector<std::size_t> apart(const std::vector<std::int64_t>& own) const;
};

// An axis of a program's input whose size is open: a symbol's, or one that follows from the symbols of other axes.
struct InputAxis {
  std::size_t input;  // position among the program's inputs
  std::size_t axis;
  std::string symbol;        // axes of one symbol always have one size
  std::int64_t example = 0;  // the example's size; 0: as the input's facts say
  std::optional<ir::Polynomial> follows =
      {};                     // the size, in other symbols or a number; absent where the symbol is free
  bool is_broadcast = false;  // it may be 1, or what it follows from, where the other is not

  bool is_fixed() const { return follows && follows->constant(); }
  ir::Polynomial size() const { return follows ? *follows : ir::Polynomial::symbol(symbol); }
};

// The dimension that is values[sample] in every sample: a fixed size, an integer polynomial of the symbols with at most
// one product of two of them ("batch", "2*batch + 1", "batch*seq + seq"), or unknown. Of symbols that are broadcast
// with each other it has the one, or the larger of some ("max(batch, rows)"), which has the size of all samples.
ir::Dim fit(const SymbolTable& table, std::span<const std::int64_t> values);

}  // namespace tonnx::program
