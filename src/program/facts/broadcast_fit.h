#pragma once

#include <cstdint>
#include <span>

#include "ir/dim.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// The fit() of a table with groups and relations. Fits the samples that break none of them, then replaces symbols by
// others of their group or relation so that the result fits all other samples.
ir::Dim fit_broadcast(const SymbolTable& table, std::span<const std::int64_t> values);

}  // namespace tonnx::program
