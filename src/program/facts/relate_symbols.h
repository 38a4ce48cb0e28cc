#pragma once

#include <string>
#include <vector>

#include "program/facts/sample_sizes.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// What the example's sizes allow where a program runs at no other size of `symbol` alone: relations between it and
// other symbols, some of which may hold together. Equal sizes come first, where the first of `symbols` stays free; then
// sums and multiples of products, those of the most symbols first, as a relation of fewer may hold only while the
// others stay; then multiples, and sizes that are a little larger.
std::vector<std::vector<SizeRelation>> possible_relations(const std::vector<FreeSymbol>& symbols,
                                                          const std::string& symbol);

}  // namespace tonnx::program
