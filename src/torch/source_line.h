#pragma once

#include <memory>

#include <torch/csrc/jit/frontend/source_range.h>

#include "ir/source_line.h"

// Source locations of nodes for users. Internal: includes LibTorch.
namespace tonnx::torch {

// Returns the user's line of a range, or that of the caller if it has none; either may be null. The result keeps the
// range's source, with the archive's line records, alive.
std::shared_ptr<const ir::SourceLine> source_line(const ::torch::jit::SourceRange& range,
                                                  std::shared_ptr<const ir::SourceLine> caller);

}  // namespace tonnx::torch
