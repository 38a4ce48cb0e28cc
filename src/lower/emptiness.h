#pragma once

#include "ir/graph.h"

// What the nodes behind a value tell of runs that give it no element.
namespace tonnx::lower {

using ir::Value;

// Whether a run may give the axis no element; not where a convolution, a pool or a resize made it. The rank is known.
bool may_be_emptied(const Value* x, std::int64_t axis);
// The same of all axes but batches and channels behind such a layer, also where the axes were taken apart or merged
// since: whether data took elements out, or an input of open sizes came without.
bool may_be_emptied(const Value* x);

// Whether these are weights that Softmax gave along this axis, as they are, turned, or with elements left out.
bool is_attention_along(const Value* x, std::int64_t axis);

}  // namespace tonnx::lower
