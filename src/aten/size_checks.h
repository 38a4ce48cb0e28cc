#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// Whether ONNX Runtime fails in the operator's lowering at sizes at which LibTorch's operator fails. False where the
// model computes something: ONNX's operators clamp, broadcast or move where LibTorch's refuse. Of prim::ListUnpack it
// depends on the list's operator.
bool runtime_checks_sizes(const ir::Node& node);

}  // namespace tonnx::aten
