#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace tonnx::program {

// The sizes of the runs so far, and the limits on further sizes.
struct ChosenSizes {
  std::vector<std::vector<std::int64_t>> runs;     // runs[run][symbol]; runs[0] is the example
  std::vector<std::int64_t> multiples;             // by symbol: the code runs only at multiples of this
  std::vector<std::vector<std::int64_t>> refused;  // by symbol: sizes at which it does not run
  std::set<std::int64_t> avoided;  // other numbers of the program; an equal size could be mistaken for them
  std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // upper bound, unless the example is larger
};

// Returns sizes for one more run, by symbol: at least 2, new for the symbol, alternately below and above the example.
// As far as possible, they differ from all sizes and numbers so far and have no factor in common with them, and not all
// runs have one remainder by 2, 3 or 4, one order of two symbols, or one linear relation between two symbols. `wanted`,
// if not empty, fixes the sizes of those symbols where it is not 0.
std::vector<std::int64_t> choose_sizes(const ChosenSizes& chosen, const std::vector<std::int64_t>& wanted = {});

}  // namespace tonnx::program
