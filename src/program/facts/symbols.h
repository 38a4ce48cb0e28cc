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

// A symbol whose size is computed from those of others.
struct SizeRelation {
  std::string symbol;
  ir::Polynomial size;
};

// The size of every symbol in each sample. Sample 0 has the example sizes.
struct SymbolTable {
  // Symbols of axes that are broadcast with each other: of one size, or 1. Indices in `names`, the free symbol first.
  using Group = std::vector<std::size_t>;

  std::vector<std::string> names;                // the free ones first
  std::vector<std::vector<std::int64_t>> sizes;  // sizes[sample][symbol]
  std::vector<Group> groups = {};
  std::vector<SizeRelation> related = {};  // symbols that follow from free ones, unless some are 1

  std::size_t free_count() const;
  std::size_t position(const std::string& name) const;
  // Returns the sizes of all symbols for those of the free ones.
  std::vector<std::int64_t> completed(std::vector<std::int64_t> free) const;
  // Sets the sizes of the related symbols from those of the others.
  void follow(std::vector<std::int64_t>& own) const;
  // Returns the groups and relations that these sizes of all symbols break: the index of a group in `groups`, or
  // groups.size() + the index of a relation in `related`.
  std::vector<std::size_t> broken(const std::vector<std::int64_t>& own) const;
};

// A dynamic axis of an input. Its size is a free symbol, or follows from the symbols of other axes.
struct InputAxis {
  std::size_t input;  // index of the input
  std::size_t axis;
  std::string symbol;                          // axes of one symbol have one size
  std::int64_t example = 0;                    // size in the example; 0: read it from the facts of the input
  std::optional<ir::Polynomial> follows = {};  // size in other symbols, or a number; empty: the symbol is free
  bool is_broadcast = false;                   // it, or what it follows from, may be 1 alone

  bool is_fixed() const { return follows && follows->constant(); }
  ir::Polynomial size() const { return follows ? *follows : ir::Polynomial::symbol(symbol); }
};

// Returns the dim that is values[sample] in every sample: a fixed size, an integer polynomial of the symbols with at
// most one product of two symbols ("batch", "2*batch + 1", "batch*seq + seq"), or unknown. For symbols of one group it
// has the symbol, or the maximum of some ("max(batch, rows)"), that fits all samples.
ir::Dim fit(const SymbolTable& table, std::span<const std::int64_t> values);

}  // namespace tonnx::program
