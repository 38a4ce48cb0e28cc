#pragma once

#include <string>
#include <vector>

#include "program/facts/sample_sizes.h"
#include "program/facts/symbols.h"

namespace tonnx::program {

// Returns relations between `symbol` and others that the example sizes allow, for a program that fails whenever
// `symbol` alone changes. Each item is a set of relations that hold together. Equal sizes come first (the first of
// `symbols` stays free). Then come sums and multiples of products, those of most symbols first, because a relation of
// fewer may hold only while the others keep their sizes. Then come multiples and small offsets.
std::vector<std::vector<SizeRelation>> possible_relations(const std::vector<FreeSymbol>& symbols,
                                                          const std::string& symbol);

}  // namespace tonnx::program
