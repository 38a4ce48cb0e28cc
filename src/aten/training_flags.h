#pragma once

#include <string>

#include "ir/graph.h"

namespace tonnx::aten {

// How many operators of a program are told to work as in training, and which: "2 operators keep training mode, which the
// program fixes (aten::dropout)"; empty where there are none.
std::string kept_training(const ir::Graph& graph);

}  // namespace tonnx::aten
