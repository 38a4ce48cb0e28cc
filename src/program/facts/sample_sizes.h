#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/error.h"
#include "program/facts/abstract_state.h"
#include "program/facts/sample_hints.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// A free symbol.
struct FreeSymbol {
  std::string name;
  std::int64_t size;                     // the example's
  std::size_t axis = 0;                  // the axis index of its first input axis
  std::vector<std::string> others = {};  // symbols of the same size, unless one of them is 1
};

// Thrown if the program fails at every other size of a symbol.
struct FixedSymbol {
  std::string name;
  ir::Error error;
};

// Chooses the samples at which facts are inferred, and replaces those at which the program fails.
class SampleSizes {
 public:
  // Tries at most `choices` sizes of each symbol. `earlier`, if not null, has the results of an earlier walk through
  // the same program. `related`: symbols that follow from the free ones and may be broadcast with them. Throws
  // FixedSymbol if the axes admit no other size.
  SampleSizes(const std::vector<FreeSymbol>& symbols, const std::vector<InputAxis>& axes, std::size_t choices,
              const SampleHints* earlier = nullptr, const std::vector<SizeRelation>& related = {});

  SymbolTable table();
  // Returns the largest distance of the sizes in use, without borders, from the example's.
  std::int64_t reach(const std::string& symbol) const;
  // True if some size of the symbol failed and all sizes in use, without borders, are among these.
  bool runs_only_at(const std::string& symbol, const std::vector<std::int64_t>& sizes) const;
  // Adds borders from `further` to each symbol, until it has `most` in all walks. Returns false if none is new.
  bool add(const std::vector<std::vector<std::int64_t>>& further, std::size_t most);
  // Replaces the failed samples. Throws FixedSymbol if a symbol has no sizes left.
  void fail(const SymbolTable& table, const SampleFailure& failure);
  // Returns the refusal for a failure in a branch or loop, without samples that break groups or relations; or nothing.
  std::optional<SizeRefusal> refusal_inside(const SymbolTable& table, const SampleFailure& failure) const;
  // Stores what later walks start from.
  void leave(SampleHints& hints) const;

 private:
  // The other sizes of one symbol: in use, and left to try.
  struct Alternates {
    std::int64_t size = 0;                           // the example's
    std::vector<std::int64_t> active, left, failed;  // left: best first
    Borders borders;
    const ir::Node* node = nullptr;  // at which the last one failed
    std::string message;

    void refill();
    void drop(std::int64_t size);
  };

  bool is_possible(const std::vector<std::int64_t>& sizes, std::int64_t least) const;
  bool replace_border(std::size_t symbol, std::int64_t size);
  bool add_border(std::size_t symbol, std::int64_t size);
  void add_mixed(SymbolTable& table);
  void add_smallest(SymbolTable& table);
  void add_breaking(SymbolTable& table);
  void note_refusal(const SampleFailure& failure, ChangedSizes sizes);
  [[noreturn]] void raise_fixed(std::size_t symbol) const;

  SymbolTable layout_;                 // without samples
  std::vector<std::int64_t> example_;  // of each free symbol
  std::vector<InputAxis> axes_;
  std::vector<Alternates> symbols_;
  std::vector<int> origin_;  // per sample: the one symbol it changes, or -1
  std::set<std::vector<std::int64_t>> refused_;
  std::set<ChangedSizes> refused_apart_;  // failed samples that break groups or relations
  std::vector<SizeRefusal> refusals_;
};

}  // namespace tonnx::program
