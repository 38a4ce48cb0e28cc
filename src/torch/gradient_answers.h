#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::torch {

// A question of the program about gradients.
struct GradientQuestion {
  std::string site;            // "aten::is_grad_enabled in layers.0 (model.py:12)"
  std::optional<bool> answer;  // nullopt if it depends on dtypes
  bool operator==(const GradientQuestion&) const = default;
};

// A program imported with gradients off or on, and the questions that the import answered.
struct GradientAnswers {
  const ir::Graph* program;  // null if the import was refused
  const std::vector<GradientQuestion>& questions;
};

// Returns a warning, with the questions, if the program computes something else with gradients on; else "".
std::string warning_of_gradients(const GradientAnswers& off, const GradientAnswers& on);

}  // namespace tonnx::torch
