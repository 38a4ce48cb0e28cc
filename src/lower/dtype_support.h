#pragma once

#include <cstdint>
#include <string_view>

#include "ir/dtype.h"
#include "ir/opset.h"

namespace tonnx::lower {

// Returns the nearest dtype that represents every value of `dtype`, that the slot allows and that the runtime has a
// kernel for: `dtype` itself if possible. Also `dtype` if ONNX allows it and no wider dtype has a kernel; the model is
// then valid, but does not run on that provider. Undefined if ONNX allows no such dtype; float64 is never narrowed.
ir::DType widen(std::string_view op, std::int32_t opset, const ir::OpSlot& slot, ir::DType dtype);

// True if a float attribute (float32 in ONNX) represents the number to the precision of `dtype`.
bool holds_attribute(ir::DType dtype, double number);

// True if the runtime has a kernel for the operator's version at this opset if the slot has this dtype.
bool has_kernel(std::string_view op, std::int32_t opset, const ir::OpSlot& slot, ir::DType dtype);
// The same if any slot has this dtype.
bool has_kernel(std::string_view op, std::int32_t opset, ir::DType dtype);

}  // namespace tonnx::lower
