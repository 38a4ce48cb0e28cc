#pragma once

#include <string>
#include <vector>

#include "ir/flat_inputs.h"
#include "ir/raw_program.h"
#include "torch/trace_session.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// The raw program of what a session recorded, which has stopped. `output_names`: one per output of its graph.
ir::RawProgram import_trace(const TraceSession& session, const std::vector<ir::FlatInput>& inputs,
                     const std::vector<std::string>& output_names);

}  // namespace tonnx::torch
