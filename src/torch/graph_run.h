#pragma once

#include <vector>

#include "backend/backend.h"
#include "ir/graph.h"

namespace tonnx::torch {

// Implements backend::Backend::run_graph().
std::vector<ir::Tensor> run_graph(const ir::Graph& program, const std::vector<ir::Tensor>& inputs,
                                  backend::RandomNumbers random = backend::RandomNumbers::Repeat);

}  // namespace tonnx::torch
