#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace tonnx::aten {

// True for an argument of an operator's schema that selects training behaviour (dropping elements, normalising by batch
// statistics).
bool is_training_flag(std::string_view argument);

// The training flag of a node; null if its operator has none.
const ir::Value* training_flag(const ir::Node& node);

// True for an argument of a normalisation's schema that makes it compute the statistics of its input, and update
// running statistics if there are any: a training flag, or the flag of instance normalisation.
bool is_statistics_flag(std::string_view argument);

// True if that argument of a normalisation is known to be true.
bool takes_own_statistics(const ir::Node& node);

// True for an argument of an operator's schema that is a running statistic of a normalisation.
bool is_statistic(std::string_view argument);

// Describes the operators of a program whose training flag is set (or unset): "2 operators keep training mode, which is
// fixed in the program (aten::dropout)"; empty if there are none.
std::string kept_mode(const ir::Graph& graph, bool training);

}  // namespace tonnx::aten
