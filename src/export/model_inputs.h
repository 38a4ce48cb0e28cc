#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ir/graph.h"
#include "ir/tensor.h"

namespace tonnx::exporting {

// Throws Error(Code::Argument) that lists each input of the model whose tensor in `tensors` has another dtype, rank or
// fixed size. `counts`: number of tensors of each input, since a sequence has several; empty: one each.
void require_fitting_inputs(const ir::Graph& model, std::span<const ir::Tensor> tensors,
                            std::span<const std::size_t> counts);

}  // namespace tonnx::exporting
