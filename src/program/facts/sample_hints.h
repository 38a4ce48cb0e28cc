#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "program/facts/distinct_sizes.h"

namespace tonnx::program {

// Sizes of a symbol that were tried to see what changes there, not to prove that it is free.
struct Borders {
  std::vector<std::int64_t> run;
  std::vector<std::int64_t> refused;  // at which the program does not run
  std::size_t added = 0;              // how many of both SampleSizes::add() took
};

// Where a program does not run at sizes of its dynamic axes.
struct SizeRefusal {
  std::string site;                      // "aten::narrow in layer1 (model.py:3)"
  std::string key;                       // the same of an operator and its form that writes
  std::string message;                   // of the first sizes
  std::vector<ChangedSizes> sizes = {};  // the others are the example's; none: tensor data decide
  bool is_checked = false;               // ONNX Runtime fails there, too
  bool of_items = false;                 // the list that the operator reads has too few items, or too many
  bool is_inside = false;                // in a branch or a loop that some runs do not enter
  bool of_last_walk = false;             // dropped unless the last walk finds it: passes may remove the branch
};

// What a walk through a program finds out about the samples that it takes.
struct SampleHints {
  std::map<std::string, Borders> borders;  // by symbol
  bool was_asked = false;                  // facts were inferred before
  bool needs_data_samples = false;
  std::set<ChangedSizes> refused_apart;  // that break groups or relations
  std::vector<SizeRefusal> refusals;     // one for each place
  void add(SizeRefusal refusal) {
    if (std::ranges::find(refusals, refusal.key, &SizeRefusal::key) == refusals.end())
      refusals.push_back(std::move(refusal));
  }
  std::map<std::string, std::vector<std::int64_t>> failed;  // sizes, by symbol, at which the program does not run
  std::map<std::string, ir::Polynomial> relations;  // symbols that follow from others, though what shows it may be gone
  bool allow_fixed = false;                         // a symbol that runs at no other size is fixed instead of refused
  std::map<std::string, std::string> fixed;         // why, by symbol
};

}  // namespace tonnx::program
