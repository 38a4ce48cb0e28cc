#pragma once

#include <vector>

#include "ir/graph.h"

namespace tonnx::torch {

// What backend::Backend::run_graph() does.
std::vector<ir::Tensor> run_graph(const ir::Graph& program, const std::vector<ir::Tensor>& inputs);

}  // namespace tonnx::torch
