#pragma once

#include <cstddef>

#include "ir/graph.h"

namespace tonnx::ir {

// Outputs of a model whose rank differs from the declared one in some runs.
void set_open_rank(Block& block, std::size_t output);
bool has_open_rank(const Block& block, std::size_t output);

}  // namespace tonnx::ir
