#pragma once

#include <vector>

#include "ir/tensor.h"

namespace tonnx::exporting {

// How to change elements. All: elements are permuted, and floating ones reduced a little; if that changes nothing, an
// integer becomes an adjacent one and a bool is negated. Floating: same, but integers and bools keep their values.
// Negative: floating elements are increased and negated, bools negated. Zero: floating elements become 0, bools false.
// Quantised tensors change with All, their scales and zero points too.
enum class Values { All, Floating, Negative, Zero };

// Returns tensors of the same dtypes and dims, with other elements that the same code probably accepts.
std::vector<ir::Tensor> other_values(const std::vector<ir::Tensor>& tensors, Values which);

}  // namespace tonnx::exporting
