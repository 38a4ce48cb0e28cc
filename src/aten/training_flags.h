#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace tonnx::aten {

// Whether an argument of an operator's schema tells it to work as in training (to drop elements, to normalise by a
// batch).
bool is_training_flag(std::string_view argument);

// That argument of a node; null where its operator has none.
const ir::Value* training_flag(const ir::Node& node);

// Whether an argument of a normalisation's schema tells it to take the statistics of what it is given, and to write
// them where it keeps some: as in training, or, of instances, by a flag of its own.
bool is_statistics_flag(std::string_view argument);

// Whether that argument of a normalisation is known to be true.
bool takes_own_statistics(const ir::Node& node);

// Whether an argument of an operator's schema is a statistic that a normalisation keeps between calls.
bool is_statistic(std::string_view argument);

// How many operators of a program are told to work as in training, or not as in training, and which: "2 operators keep
// training mode, which the program fixes (aten::dropout)"; empty where there are none.
std::string kept_mode(const ir::Graph& graph, bool training);

}  // namespace tonnx::aten
