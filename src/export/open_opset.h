#pragma once

#include <memory>

#include "ir/opset.h"

namespace tonnx::exporting {

// The opset extended by every operator that ONNX does not have at any version, with any inputs and outputs: a symbolic
// may add one to the default domain if the model is not checked. Nothing is inferred for its results.
std::shared_ptr<const ir::Opset> open_opset(std::shared_ptr<const ir::Opset> opset);

}  // namespace tonnx::exporting
