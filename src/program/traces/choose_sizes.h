#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace tonnx::program {

// The sizes at which a code was run, and by symbol what is known of where it runs.
struct ChosenSizes {
  std::vector<std::vector<std::int64_t>> runs;     // runs[run][symbol], the example's first
  std::vector<std::int64_t> multiples;             // by symbol: the code runs at multiples of this alone
  std::vector<std::vector<std::int64_t>> refused;  // by symbol: sizes at which it does not run
  std::set<std::int64_t> avoided;  // other numbers of the program, behind which a size like them may hide
  std::int64_t largest =
      std::numeric_limits<std::int64_t>::max();  // no larger one is chosen, unless the example is larger
};

// Sizes for one more run, by symbol: at least 2, smaller and larger than the example's by turns, like no size or number
// so far, without common factors with them, a rest by 2, 3 or 4 that all have, the same of two symbols always the
// larger, or a common line through those of two where that can be had. `wanted`, if not empty, fixes the sizes of the
// symbols where it is not 0.
std::vector<std::int64_t> choose_sizes(const ChosenSizes& chosen, const std::vector<std::int64_t>& wanted = {});

}  // namespace tonnx::program
