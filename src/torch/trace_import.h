#pragma once

#include <string>
#include <vector>

#include "torch/flat_inputs.h"
#include "torch/raw_program.h"
#include "torch/trace_session.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// The raw program of what a session recorded, which has stopped. `output_names`: one per output of its graph.
RawProgram import_trace(const TraceSession& session, const std::vector<FlatInput>& inputs,
                     const std::vector<std::string>& output_names);

}  // namespace tonnx::torch
