#pragma once

#include <span>
#include <string>

#include "export/mismatch.h"

namespace tonnx::exporting {

// What a search found, for telling it.
struct MismatchTale {
  std::string whole;  // how the model differs from LibTorch; empty if it agrees
  std::string
      program;  // how the program as it was lowered differs from what it was made of, both in LibTorch; mostly empty
  std::vector<std::string> warnings;  // what was not verified
  const MismatchPart& root;
  std::span<const ir::Node* const> nodes;  // the essential ones
};

// The parts that differ and have no part that does, in the program's order.
std::vector<const MismatchPart*> differing_leaves(const MismatchPart& root);
std::string mismatch_text(const MismatchTale& tale);
std::string mismatch_json(const MismatchTale& tale);

}  // namespace tonnx::exporting
