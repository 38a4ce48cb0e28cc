#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/flat_inputs.h"
#include "ir/raw_program.h"
#include "torch/trace_session.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

struct ImportedTrace {
  ir::RawProgram program;
  std::vector<std::pair<std::string, at::Tensor>>
      captured;  // undeclared tensors that operators wrote to, by the names of their weights
};

// The raw program of a stopped session. `output_names`: one per output of its graph.
ImportedTrace import_trace(TraceSession& session, const std::vector<ir::FlatInput>& inputs,
                           const std::vector<std::string>& output_names);

}  // namespace tonnx::torch
