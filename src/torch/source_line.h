#pragma once

#include <memory>

#include <torch/csrc/jit/frontend/source_range.h>

#include "ir/source_line.h"

// Where nodes come from, in the user's terms. Internal: includes LibTorch.
namespace tonnx::torch {

// The user's line of a range, or the caller's where it has none of its own; either may be null. The range's source,
// with the archive's records of lines, lives as long as the result.
std::shared_ptr<const ir::SourceLine> source_line(const ::torch::jit::SourceRange& range,
                                                  std::shared_ptr<const ir::SourceLine> caller);

}  // namespace tonnx::torch
