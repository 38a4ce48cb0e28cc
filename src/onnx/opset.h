#pragma once

#include <memory>

#include "ir/opset.h"

namespace tonnx::onnx {

inline constexpr int kOldestOpset = 7;
// The newest opset of the default domain that the linked onnx library knows.
int newest_opset();

// The default domain at one version, made on first use and shared; any thread may ask. Throws Error(Code::Argument)
// outside [kOldestOpset, newest_opset()].
//
// infer() keeps the element type and shape of a sequence in its value's facts. Sizes that a model computes from shapes
// (Shape -> Gather -> Concat -> Reshape) are followed backwards from the node, so no pass over the graph is needed.
std::shared_ptr<const ir::Opset> opset(int version);

// The lowest IR version whose onnx release has this opset; source: onnx.helper.VERSION_TABLE.
int ir_version(int opset);

}  // namespace tonnx::onnx
