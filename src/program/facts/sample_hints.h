#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/value_table.h"
#include "program/facts/distinct_sizes.h"

namespace tonnx::program {

// Sizes of a symbol that are sampled to find where a result changes, not to prove that the symbol is free.
struct Borders {
  std::vector<std::int64_t> run;
  std::vector<std::int64_t> refused;  // the program fails there
  std::size_t added = 0;              // number of both that SampleSizes::add() added
};

// A place at which a program fails at some sizes of its dynamic axes.
struct SizeRefusal {
  std::string site;                      // "aten::narrow in layer1 (model.py:3)"
  std::string key;                       // of the site, equal for an operator and its in-place form
  std::string message;                   // at the first of `sizes`
  std::vector<ChangedSizes> sizes = {};  // one item per sample; empty: depends on tensor data
  bool is_checked = false;               // ONNX Runtime fails there too
  bool returns_empty = false;            // ONNX Runtime returns a tensor without elements there
  bool of_items = false;                 // the list operand has too few or too many items
  bool is_inside = false;                // in a branch or loop that some runs skip
  std::string layer = {};                // the module that the program runs after it; empty: unknown
  bool of_last_walk = false;             // dropped unless the last walk finds it again (a pass may remove the branch)
};

// What the program does if some dynamic axes have size 0, which is not a sample.
struct EmptyAxes {
  // In some walk the program failed there, or had another number than the facts. Not reset by later walks, because
  // passes have relied on the facts.
  bool failed = false, differs = false;
  bool failed_elsewhere = false;      // in some walk it failed at no node
  std::vector<SizeRefusal> refusals;  // where the program of the last walk fails
};

// Results of walks through a program that later walks of the same program start from.
struct SampleHints {
  std::map<std::string, Borders> borders;  // by symbol
  bool was_asked = false;                  // facts were inferred before
  ir::ValueTable<ir::Facts> imported;      // the facts of each value before its first inference
  bool needs_data_samples = false;
  std::set<ChangedSizes> refused_apart;  // samples that break groups or relations and fail
  std::vector<SizeRefusal> refusals;     // one per key
  void add(SizeRefusal refusal) {
    if (std::ranges::find(refusals, refusal.key, &SizeRefusal::key) == refusals.end())
      refusals.push_back(std::move(refusal));
  }
  std::map<std::string, std::vector<std::int64_t>> failed;  // sizes, by symbol, at which the program fails
  std::map<std::string, ir::Polynomial> relations;   // by symbol; passes may have removed the nodes that require them
  bool allow_fixed = false;                          // fix a symbol that has no other size, instead of throwing
  std::map<std::string, std::string> fixed;          // reason, by fixed symbol
  std::map<std::set<std::string>, EmptyAxes> empty;  // by the free symbols that have size 0
};

}  // namespace tonnx::program
