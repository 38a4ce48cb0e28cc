#pragma once

#include <vector>

#include "ir/flat_inputs.h"
#include "torch/trace_session.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// Runs a stopped session on the example inputs, and compares with the results of the code. Random operators return the
// recorded results. Throws Error(Code::Unsupported) with the first operator whose result differs.
void replay_trace(const TraceSession& session, const std::vector<ir::FlatInput>& inputs,
                  const std::vector<at::Tensor>& outputs);

}  // namespace tonnx::torch
