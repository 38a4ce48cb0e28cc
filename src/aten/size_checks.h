#pragma once

#include "ir/graph.h"

namespace tonnx::aten {

// True if ONNX Runtime fails in the operator's lowering for sizes for which LibTorch's operator fails. False if the
// model may compute something instead: some ONNX operators clamp, broadcast or move where LibTorch's refuse. For
// prim::ListUnpack the operator of the list decides.
bool runtime_checks_sizes(const ir::Node& node);

}  // namespace tonnx::aten
