#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/error.h"
#include "program/facts/fact_inference.h"
#include "program/facts/sample_hints.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// A symbol whose sizes are tried.
struct FreeSymbol {
  std::string name;
  std::int64_t size;                     // the example's
  std::size_t axis = 0;                  // its first one's position
  std::vector<std::string> others = {};  // that have its size, or 1 where it is not, or it is 1 where they are not
};

// Thrown where no other size of a symbol runs.
struct FixedSymbol {
  std::string name;
  ir::Error error;
};

// Chooses the sizes at which facts are inferred, and others where the program does not run at them.
class SampleSizes {
 public:
  // At most `choices` sizes of each symbol are tried. Throws FixedSymbol where the axes have no other sizes.
  // `earlier`, if not null, is what another walk through the same program left. `related`: symbols that follow from the
  // free ones, and may be broadcast with them.
  SampleSizes(const std::vector<FreeSymbol>& symbols, const std::vector<InputAxis>& axes, std::size_t choices,
              const SampleHints* earlier = nullptr, const std::vector<SizeRelation>& related = {});

  SymbolTable table();
  // How far from its size in the example a symbol's sizes are that are in use, borders aside.
  std::int64_t reach(const std::string& symbol) const;
  // Whether other sizes of a symbol than these do not run.
  bool runs_only_at(const std::string& symbol, const std::vector<std::int64_t>& sizes) const;
  // Takes further borders of each symbol, `most` of them with those taken so before; false where none is left.
  bool add(const std::vector<std::vector<std::int64_t>>& further, std::size_t most);
  // Replaces the samples that failed. Throws FixedSymbol where a symbol has none left.
  void fail(const SymbolTable& table, const SampleFailure& failure);
  // Where a node in a branch or a loop fails; nothing at sizes that break groups or relations.
  std::optional<SizeRefusal> refusal_inside(const SymbolTable& table, const SampleFailure& failure) const;
  // What later walks begin with.
  void leave(SampleHints& hints) const;

 private:
  // The alternate sizes of one symbol: those in use and those left to try.
  struct Alternates {
    std::int64_t size = 0;                           // the example's
    std::vector<std::int64_t> active, left, failed;  // left: best first
    Borders borders;
    const ir::Node* node = nullptr;  // where the last one failed
    std::string message;

    void refill();
    void drop(std::int64_t size);
  };

  bool is_possible(const std::vector<std::int64_t>& sizes, std::int64_t least) const;
  bool replace_border(std::size_t symbol, std::int64_t size);
  bool add_border(std::size_t symbol, std::int64_t size);
  void add_mixed(SymbolTable& table);
  void add_smallest(SymbolTable& table);
  void add_apart(SymbolTable& table);
  void note_refusal(const SampleFailure& failure, ChangedSizes sizes);
  [[noreturn]] void raise_fixed(std::size_t symbol) const;

  SymbolTable layout_;                 // without samples
  std::vector<std::int64_t> example_;  // of each symbol that is free
  std::vector<InputAxis> axes_;
  std::vector<Alternates> symbols_;
  std::vector<int> origin_;  // per sample: the one symbol it changes, or -1
  std::set<std::vector<std::int64_t>> refused_;
  std::set<ChangedSizes> refused_apart_;  // that break groups or relations
  std::vector<SizeRefusal> refusals_;
};

}  // namespace tonnx::program
