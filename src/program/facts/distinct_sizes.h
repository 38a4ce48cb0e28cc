#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "program/facts/symbols.h"

namespace tonnx::program {

// The sizes that differ from the example's, by symbol.
using ChangedSizes = std::map<std::string, std::int64_t>;

ChangedSizes changed_sizes(const SymbolTable& table, const std::vector<std::int64_t>& sizes);

// Returns sizes of all symbols that break groups and relations of the table (its first sample is the example): some
// symbols of a group at 1 and the others as in the example; one symbol at 1 and the others at the first of `far` (sizes
// of the free symbols) that is not refused; and all axes of one input at 1.
std::vector<std::vector<std::int64_t>> breaking_sizes(const SymbolTable& table, const std::vector<InputAxis>& axes,
                                                      const std::vector<std::vector<std::int64_t>>& far,
                                                      const std::set<ChangedSizes>& refused);

}  // namespace tonnx::program
