#pragma once

#include "ir/graph.h"

namespace tonnx::program {

// True if a reader of the value, or of a value of unknown rank computed from it, can be lowered only with a known rank.
bool wants_rank(const ir::Value& value);

}  // namespace tonnx::program
