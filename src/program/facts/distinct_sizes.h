#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "program/facts/symbols.h"

namespace tonnx::program {

// The sizes of symbols that differ from the example's.
using ChangedSizes = std::map<std::string, std::int64_t>;

ChangedSizes changed_sizes(const SymbolTable& table, const std::vector<std::int64_t>& sizes);

// Sizes of all symbols that break groups and relations of the table, which holds the example's: some symbols of one at
// 1, the others as in the example; one at 1, the others at the first of `far`, sizes of the free symbols, at which that
// is not refused; and all axes of one input at 1.
std::vector<std::vector<std::int64_t>> apart_sizes(const SymbolTable& table, const std::vector<InputAxis>& axes,
                                                   const std::vector<std::vector<std::int64_t>>& far,
                                                   const std::set<ChangedSizes>& refused);

}  // namespace tonnx::program
