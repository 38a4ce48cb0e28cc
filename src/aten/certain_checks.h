#pragma once

#include <unordered_map>

#include "ir/graph.h"

namespace tonnx::aten {

// Constants of an archive's document, each with the computed number or condition that it replaces.
using Replaced = std::unordered_map<const ir::Value*, const ir::Value*>;

// True if the condition is a constant although data decide it: torch.export has fixed a number that depends on data, or
// expressed it by other sizes, because the program checks the condition.
bool is_assumed(const ir::Value& condition, const Replaced& replaced);

// True if the condition of a check holds in every run. torch.export adds checks that a size of a result is at least 0
// and, if the operator selects elements, at most their number.
bool is_certain(const ir::Value& condition, const Replaced& replaced);

}  // namespace tonnx::aten
