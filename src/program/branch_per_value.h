#pragma once

#include <cstddef>
#include <functional>
#include <span>

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

}  // namespace tonnx::program
