#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "program/edit.h"

namespace tonnx::program {

// The possible replacements of a value that a node reads; the last one is used if no other condition is true.
struct Choices {
  std::function<ir::Value*(Inserter&, std::size_t)> is;  // the condition of one of them, as a bool
  const ir::Value* replaced;
  std::span<ir::Value* const> values;
};

// Replaces the node by a branch for each choice, with a copy of the node in each. Its uses read the branches' results.
// If the node itself creates the replaced value, it is not copied: the branches yield the choices.
void branch_per_value(ir::Node& node, const Choices& choices);

// Inserts an If with the results, types, facts and location of a node; its blocks return what these functions do.
using Results = std::function<std::vector<ir::Value*>(Inserter&)>;
std::vector<ir::Value*> branch_like(Inserter& insert, const ir::Node& node, ir::Value* condition, const Results& yes,
                                    const Results& no);

}  // namespace tonnx::program
