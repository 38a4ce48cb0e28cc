#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/graph.h"
#include "ir/opset.h"
#include "lower/registry.h"

namespace tonnx::lower {

struct LowerOptions {
  bool training = false;
};

// Maps a program that meets the contract into a model of the opset. Inputs, outputs and weights keep their names and
// facts. Throws Error(Code::Unsupported) with every reason at once (one per operator and text, with counts).
std::unique_ptr<ir::Graph> lower_program(const ir::Graph& program, const Registry& registry, const ir::Opset& opset,
                                         const LowerOptions& options);

}  // namespace tonnx::lower
