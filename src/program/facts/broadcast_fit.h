#pragma once

#include <cstdint>
#include <span>

#include "ir/dim.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// fit() of a table with groups and relations: what fits the samples that break none of them, with such of their symbols
// in it that it fits the others as well.
ir::Dim fit_broadcast(const SymbolTable& table, std::span<const std::int64_t> values);

}  // namespace tonnx::program
