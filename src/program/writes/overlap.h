#pragma once

#include "ir/graph.h"
#include "program/references/alias.h"

namespace tonnx::program {

// True if a write to `written` may change elements that `read` has at other positions, so that the result depends on
// the order of elements: y[1:] and y[:-1]. False if both are the same elements or are known to have none in common.
// Both are tensors with the same root, which is not a selection.
bool may_overlap_partly(const AliasForest& forest, const ir::Value* written, const ir::Value* read);

}  // namespace tonnx::program
