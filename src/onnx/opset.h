#pragma once

#include <memory>

#include "ir/function.h"
#include "ir/opset.h"

namespace tonnx::onnx {

inline constexpr int kOldestOpset = 7;
// The newest opset of the default domain in the linked onnx library.
int newest_opset();

// The default domain at one version, created on first use and shared; thread-safe. Throws Error(Code::Argument) outside
// [kOldestOpset, newest_opset()].
//
// infer() stores the element type and shape of a sequence in its value's facts. Sizes that a model computes from shapes
// (Shape -> Gather -> Concat -> Reshape) are traced backward from the node, so no pass over the graph is needed.
std::shared_ptr<const ir::Opset> opset(int version);
// The same for a graph whose nodes may call these functions. infer() also checks calls, and infers their results as
// ONNX does from the bodies; throws Error(Code::Unsupported) for a call of a function that does not fit the opset.
std::shared_ptr<const ir::Opset> opset(int version, const ir::Functions& functions);

// The lowest IR version whose onnx release supports this opset; source: onnx.helper.VERSION_TABLE.
int ir_version(int opset);

}  // namespace tonnx::onnx
