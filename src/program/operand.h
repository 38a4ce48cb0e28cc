#pragma once

#include <cstddef>
#include <string>

#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::program {

// The node, or the first after it that is no constant; null at the end of the block.
const ir::Node* next_operator(const ir::Node* node);

// An operand as a user knows it: that of the operator that takes it, also where a list is made of it first.
struct Operand {
  const ir::Node* node;
  std::string name;  // "argument size, item 1", "operand 2", "output 0"
};

Operand operand_of(const ir::Node& node, std::size_t input);

// The error for an operand that cannot be exported: "aten::view in net: argument size: REASON"; an output is no
// operator's.
ir::Error refusal(const Operand& operand, const std::string& reason);

}  // namespace tonnx::program
