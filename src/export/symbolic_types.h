#pragma once

#include <memory>

#include "ir/evaluator.h"
#include "ir/opset.h"
#include "lower/lower.h"

namespace tonnx::exporting {

// An evaluator for programs with operators that LibTorch knows by their schema alone: where others read their results,
// it asks the caller's symbolic what it would build for inputs of the sizes at hand, and takes the type of that. Where
// it declines or cannot be lowered the type stays unknown; its own failure (Code::Callback) is the export's. Keeps
// references to all but `inner`.
std::unique_ptr<ir::Evaluator> with_symbolic_types(std::unique_ptr<ir::Evaluator> inner,
                                                   const lower::Registry& registry, const ir::Opset& opset,
                                                   const lower::LowerOptions& options);

}  // namespace tonnx::exporting
