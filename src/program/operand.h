#pragma once

#include <cstddef>
#include <string>

#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::program {

// Returns the first node from `node` on that is not a constant; null at the end of the block.
const ir::Node* next_operator(const ir::Node* node);

// An operand as messages name it. An item of a list is an operand of the operator that takes the list.
struct Operand {
  const ir::Node* node;
  std::string name;  // "argument size, item 1", "operand 2", "output 0"
};

Operand operand_of(const ir::Node& node, std::size_t input);

// The error for an operand that cannot be exported: "aten::view in net: argument size: REASON", or "output 0: REASON".
ir::Error refusal(const Operand& operand, const std::string& reason);

}  // namespace tonnx::program
