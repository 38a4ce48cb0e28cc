#pragma once

#include <memory>

#include "ir/evaluator.h"
#include "ir/opset.h"
#include "lower/lower.h"

namespace tonnx::exporting {

// Wraps an evaluator for programs with operators whose schema alone LibTorch knows. If results of such an
// operator are used, calls the user's symbolic for inputs of the current sizes, and uses the type of the resulting
// nodes. If it declines or cannot be lowered, the type stays unknown; if it fails itself (Code::Callback), the export
// fails. Keeps references to all arguments except `inner`.
std::unique_ptr<ir::Evaluator> with_symbolic_types(std::unique_ptr<ir::Evaluator> inner,
                                                   const lower::Registry& registry, const ir::Opset& opset,
                                                   const lower::LowerOptions& options);

}  // namespace tonnx::exporting
