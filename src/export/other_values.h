#pragma once

#include <vector>

#include "ir/tensor.h"

namespace tonnx::exporting {

// What becomes of the elements. All: they change places, floating ones become a little smaller; where that changes
// nothing, an integer beside, one bool the other way round. Floating: the same, integers and bools stay. Negative:
// floating ones become larger, of the other sign, bools the other way round. Zero: floating ones become 0, bools false.
enum class Values { All, Floating, Negative, Zero };

// Tensors of the same dtypes and dims, with other elements that the same code is likely to take.
std::vector<ir::Tensor> other_values(const std::vector<ir::Tensor>& tensors, Values which);

}  // namespace tonnx::exporting
