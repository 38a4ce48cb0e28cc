#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ir/graph.h"

namespace tonnx::program {

// The first difference of two recordings of one code.
struct TraceDifference {
  const ir::Node* node;              // of the first recording
  std::optional<std::size_t> input;  // the operand that differs; empty if the operators differ
  std::string first, other;          // describe the number, tensor or operator of each recording
};

// Compares two recordings of the same sizes. Returns the first difference in operators, operands or constants, if any.
std::optional<TraceDifference> first_difference(const ir::Graph& first, const ir::Graph& other);

// Compares recordings of different sizes. Returns the first operator that differs, if any. Ignores operands, and views
// that LibTorch's C++ interface does not record if they contain the whole tensor.
std::optional<TraceDifference> first_other_step(const ir::Graph& first, const ir::Graph& other);

}  // namespace tonnx::program
