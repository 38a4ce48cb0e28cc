#pragma once

#include <cstdint>
#include <string_view>

#include "ir/dtype.h"
#include "ir/opset.h"

namespace tonnx::lower {

// The nearest dtype wide enough for every value of `dtype` that the slot allows and the runtime has a kernel for.
// `dtype` itself if it will do, or if ONNX allows it and nothing wider runs: such a model is valid, if not on that
// provider. Undefined if ONNX allows neither it nor anything wider; float64 is never narrowed.
ir::DType widen(std::string_view op, std::int32_t opset, const ir::OpSlot& slot, ir::DType dtype);

// Whether a float attribute, which ONNX keeps in float32, holds the number to the digits of `dtype`.
bool holds_attribute(ir::DType dtype, double number);

// Whether the runtime has a kernel for the operator in its version at this opset where the slot has this dtype.
bool has_kernel(std::string_view op, std::int32_t opset, const ir::OpSlot& slot, ir::DType dtype);
// The same where any slot may have it.
bool has_kernel(std::string_view op, std::int32_t opset, ir::DType dtype);

}  // namespace tonnx::lower
