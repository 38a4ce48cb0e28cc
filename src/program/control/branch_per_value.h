#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "program/edit.h"

namespace tonnx::program {

// The candidates for a value that a node reads. The last one is used if no other condition is true.
struct Choices {
  std::function<ir::Value*(Inserter&, std::size_t)> is;  // the condition of a candidate, as a bool
  const ir::Value* replaced;
  std::span<ir::Value* const> values;
  // The condition of all candidates before one. If given, many candidates are split in halves: a parser of models reads
  // 33 Ifs in one another.
  std::function<ir::Value*(Inserter&, std::size_t)> is_before = nullptr;
};

constexpr std::size_t kMostNested = 8;  // candidates that are tested one by one

// Replaces the node by a branch for each candidate, with a copy of the node in each. If the node itself defines the
// replaced value, it is not copied: the branches return the candidates.
void branch_per_value(ir::Node& node, const Choices& choices);

// Inserts an If with the number, types and facts of the results of a node, and its location. `yes` and `no` insert the
// nodes of their branch and return its results. Returns the results of the If.
using Results = std::function<std::vector<ir::Value*>(Inserter&)>;
std::vector<ir::Value*> branch_like(Inserter& insert, const ir::Node& node, ir::Value* condition, const Results& yes,
                                    const Results& no);

}  // namespace tonnx::program
