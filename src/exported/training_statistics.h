#pragma once

#include "ir/graph.h"

namespace tonnx::exported {

// Normalisations in training write to their running statistics, which their schema does not tell: a batch normalisation becomes the operator
// that gives new statistics and copies that write these. aten::batch_norm(x, ..., mean, variance, True, ...) ->
// aten::_native_batch_norm_legit_functional and two aten::copy_. aten::instance_norm stands without them then, beside
// operators that compute what they hold afterwards. Without `all`, only where somebody else reads the statistics.
void tell_statistics(ir::Graph& program, bool all);

}  // namespace tonnx::exported
