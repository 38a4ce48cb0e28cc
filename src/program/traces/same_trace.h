#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ir/graph.h"

namespace tonnx::program {

// Where two recordings of one code part.
struct TraceDifference {
  const ir::Node* node;              // of the first
  std::optional<std::size_t> input;  // the operand that differs; none: the operators themselves do
  std::string first, other;          // what each has there: a number, a tensor, an operator
};

// The first place at which the other recording, of the same sizes, has other operators, operands or constants.
std::optional<TraceDifference> first_difference(const ir::Graph& first, const ir::Graph& other);

// The first place at which a recording of other sizes computes something else, whatever the operands. Views that
// LibTorch's C++ interface leaves out where they show all may be there or not.
std::optional<TraceDifference> first_other_step(const ir::Graph& first, const ir::Graph& other);

}  // namespace tonnx::program
