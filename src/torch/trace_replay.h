#pragma once

#include <vector>

#include "ir/flat_inputs.h"
#include "torch/trace_session.h"

// Internal: includes LibTorch.
namespace tonnx::torch {

// Runs what a session recorded, which has stopped, on the example inputs, and compares with what the code returned.
// Random operators give what they gave. Throws Error(Code::Unsupported) naming the first operator whose result is not
// the recorded one.
void replay_trace(const TraceSession& session, const std::vector<ir::FlatInput>& inputs,
                  const std::vector<at::Tensor>& outputs);

}  // namespace tonnx::torch
