#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tonnx::torch {

// A question about gradients that a program asks.
struct GradientQuestion {
  std::string site;            // "aten::is_grad_enabled in layers.0 (model.py:12)"
  std::optional<bool> answer;  // none if dtypes decide it later
  bool operator==(const GradientQuestion&) const = default;
};

// A program imported with gradients off or on, and the questions that the import answered.
struct GradientAnswers {
  const ir::Graph* program;  // null if the import is refused
  const std::vector<GradientQuestion>& questions;
};

// The warning that the answer "off" decides what the program computes. It names the questions. Empty if the program
// computes the same with gradients on.
std::string warning_of_gradients(const GradientAnswers& off, const GradientAnswers& on);

}  // namespace tonnx::torch
