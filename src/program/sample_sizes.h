#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ir/error.h"
#include "program/fact_inference.h"
#include "program/symbols.h"

namespace tonnx::program {

// A symbol whose sizes are tried.
struct FreeSymbol {
  std::string name;
  std::int64_t size;  // the example's
};

// Thrown where no other size of a symbol runs.
struct FixedSymbol {
  std::string name;
  ir::Error error;
};

// Chooses the sizes at which facts are inferred, and others where the program does not run at them.
class SampleSizes {
 public:
  // At most `choices` sizes of each symbol are tried. Throws FixedSymbol where the axes have no other sizes. `clamps` are
  // numbers at which sizes may stop to follow a symbol.
  SampleSizes(const std::vector<FreeSymbol>& symbols, const std::vector<InputAxis>& axes, std::size_t choices,
              const std::vector<std::int64_t>& clamps = {});

  SymbolTable table();
  // How far from its size in the example a symbol's sizes are that are in use, borders aside.
  std::int64_t reach(const std::string& symbol) const;
  // Replaces the samples that failed. Throws FixedSymbol where a symbol has none left.
  void fail(const SymbolTable& table, const SampleFailure& failure);

 private:
  // The alternate sizes of one symbol: those in use and those left to try.
  struct Alternates {
    std::int64_t size = 0;                           // the example's
    std::vector<std::int64_t> active, left, failed;  // left: best first
    std::vector<std::int64_t> borders;               // run as well if they can; no proof that the symbol is free
    std::vector<std::int64_t> refused;               // borders at which the program does not run
    const ir::Node* node = nullptr;                  // where the last one failed
    std::string message;

    void refill();
    void drop(std::int64_t size);
  };

  bool is_possible(const std::vector<std::int64_t>& sizes, std::int64_t least) const;
  bool replace_border(Alternates& own, std::int64_t size) const;
  void add_borders(std::size_t symbol, std::vector<std::int64_t> sizes);
  void add_smallest(SymbolTable& table);
  [[noreturn]] void raise_fixed(std::size_t symbol) const;

  std::vector<std::string> names_;
  std::vector<std::int64_t> example_;  // of each symbol
  std::vector<InputAxis> axes_;
  std::vector<std::int64_t> clamps_;  // the largest first
  std::vector<Alternates> symbols_;
  std::vector<int> origin_;  // per sample: the one symbol it changes, or -1
  std::set<std::vector<std::int64_t>> refused_;
};

}  // namespace tonnx::program
