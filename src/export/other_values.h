#pragma once

#include <vector>

#include "ir/tensor.h"

namespace tonnx::exporting {

// Which tensors get other elements.
enum class Values { All, Floating };

// Tensors of the same dtypes and dims, with other elements that the same code is likely to take: their own in another
// order, floating ones a little smaller; where that changes nothing, an integer beside, one bool the other way round.
std::vector<ir::Tensor> other_values(const std::vector<ir::Tensor>& tensors, Values which);

}  // namespace tonnx::exporting
