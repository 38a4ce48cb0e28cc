#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "program/edit.h"

namespace tonnx::program {

// What may stand for a value that a node reads; the last one does where no other condition holds.
struct Choices {
  std::function<ir::Value*(Inserter&, std::size_t)> is;  // the condition of one of them, as a bool
  const ir::Value* replaced;
  std::span<ir::Value* const> values;
};

// Puts a copy of the node into a branch for each choice, and takes the node away. Where it is used its results are the
// branches'. Of the node that makes what is replaced there is no copy: the branches give the choices themselves.
void branch_per_value(ir::Node& node, const Choices& choices);

}  // namespace tonnx::program
