#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "program/apart_sizes.h"

namespace tonnx::program {

// Sizes of a symbol that were tried to see what changes there, not to prove that it is free.
struct Borders {
  std::vector<std::int64_t> run;
  std::vector<std::int64_t> refused;  // at which the program does not run
  std::size_t added = 0;              // how many of both SampleSizes::add() took
};

// What a walk through a program finds out about the samples that it takes.
struct SampleHints {
  std::map<std::string, Borders> borders;  // by symbol
  bool needs_data_samples = false;
  std::set<ChangedSizes> refused_apart;  // that break groups or relations
};

}  // namespace tonnx::program
