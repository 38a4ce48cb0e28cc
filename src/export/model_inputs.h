#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "ir/tensor.h"

namespace tonnx::exporting {

// Throws Error(Code::Argument) that names each input of the model which `tensors` do not fit in dtype, rank or fixed
// size. `counts` are the tensors that each input takes, as a sequence takes several; empty: one each.
void require_fitting_inputs(const ir::Graph& model, std::span<const ir::Tensor> tensors,
                            std::span<const std::size_t> counts);

}  // namespace tonnx::exporting
