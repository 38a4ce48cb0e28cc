#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// The dtype that LibTorch computes in where tensors and numbers meet: a tensor outweighs tensors of rank 0, and these
// outweigh numbers, unless a later one is of a higher category. Undefined where an operand's dtype or rank is unknown.
// `values` are a node's operands; others than tensors and numbers are passed over.
ir::DType result_type(std::span<ir::Value* const> values);

// Facts of the result of an operator that works element by element on all its tensors: arithmetic, comparisons, logic.
// Empty for any other, and where the sizes cannot be told from one another.
ir::Facts elementwise_facts(const ir::Node& node);

}  // namespace tonnx::aten
