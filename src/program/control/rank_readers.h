#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// Whether what reads the value, or what follows from it up to a rank that is known, can only be had where the rank is
// known.
bool wants_rank(const ir::Value& value);

}  // namespace tonnx::program
