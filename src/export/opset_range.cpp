#include "export/opset_range.h"

#include <string>

#include "ir/error.h"
#include "onnx/opset.h"

namespace tonnx::exporting {

std::int32_t oldest_opset() { return onnx::kOldestOpset; }
std::int32_t newest_opset() { return onnx::newest_opset(); }

void check_opset(std::int32_t opset) {
  if (opset < oldest_opset() || opset > newest_opset())
    throw ir::Error(ir::Code::Argument, "unsupported ONNX opset version: " + std::to_string(opset) + " (" +
                                            std::to_string(oldest_opset()) + " to " + std::to_string(newest_opset()) +
                                            " are supported)");
}

}  // namespace tonnx::exporting
