#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/dim.h"
#include "program/symbols.h"

namespace tonnx::program {

// Which of so many things, a row each; none of them and all of them are no choice. Of more than a few, each alone and all but each.
std::vector<std::vector<bool>> choices_of(std::size_t count);

// fit() of a table with groups: what fits the samples in which a group's symbols have one size, with those symbols of it in which
// the others fit as well.
ir::Dim fit_broadcast(const SymbolTable& table, std::span<const std::int64_t> values);

}  // namespace tonnx::program
