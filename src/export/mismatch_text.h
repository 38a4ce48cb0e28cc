#pragma once

#include <span>
#include <string>

#include "diagram/diagram.h"
#include "export/mismatch.h"

namespace tonnx::exporting {

// The result of a search, for printing.
struct MismatchSummary {
  std::string whole;    // how the model differs from LibTorch; empty if it agrees
  std::string program;  // how the lowered program differs from the original one in LibTorch; usually empty
  std::vector<std::string> warnings;  // what was not verified
  const MismatchPart& root;
  std::span<const ir::Node* const> nodes;  // the essential nodes
  const ir::Graph& model;
};

// The parts that differ and that have no part that differs, in program order.
std::vector<const MismatchPart*> differing_leaves(const MismatchPart& root);
std::string mismatch_text(const MismatchSummary& summary);
std::string mismatch_json(const MismatchSummary& summary);

// The nodes of the model that belong to the parts that differ, from a text of mismatch_json(). Throws
// Error(Code::Argument) for another text.
diagram::Marks marks_of(const std::string& json);

}  // namespace tonnx::exporting
