#pragma once

#include <cstdint>
#include <string_view>

#include "ir/dtype.h"
#include "ir/opset.h"
#include "ir/target.h"

namespace tonnx::lower {

// Returns the nearest dtype that represents every value of `dtype`, that the slot allows and that the target has a
// kernel for: `dtype` itself if possible. Also `dtype` if ONNX allows it and no wider dtype has a kernel; the model is
// then valid, but does not run there. Undefined if ONNX allows no such dtype; float64 is never narrowed.
ir::DType widen(const ir::Target& target, std::string_view op, std::int32_t opset, const ir::OpSlot& slot,
                ir::DType dtype);

// True if a float attribute (float32 in ONNX) represents the number to the precision of `dtype`.
bool holds_attribute(ir::DType dtype, double number);
// True if the number neither overflows as a float attribute nor loses its digits near 0.
bool fits_attribute(double number);

}  // namespace tonnx::lower
