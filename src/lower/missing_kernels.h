#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/opset.h"

namespace tonnx::lower {

// Warnings about operators of a model for which ONNX Runtime has no kernel (ir/target.h), one for each
// operator and dtype. Each names the first node.
std::vector<std::string> missing_kernels(const ir::Graph& model, const ir::Opset& opset);

}  // namespace tonnx::lower
