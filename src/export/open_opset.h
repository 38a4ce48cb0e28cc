#pragma once

#include <memory>

#include "ir/opset.h"

namespace tonnx::exporting {

// The opset with every operator that ONNX lacks at all versions, of any inputs and outputs: a symbolic may emit one
// into the default domain where nobody checks the model. Nothing is inferred of its results.
std::shared_ptr<const ir::Opset> open_opset(std::shared_ptr<const ir::Opset> opset);

}  // namespace tonnx::exporting
