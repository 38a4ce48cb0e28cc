#pragma once

#include <cstdint>
#include <string_view>

#include "ir/dtype.h"
#include "ir/opset.h"

namespace tonnx::lower {

// Whether ONNX Runtime's CPU provider runs `op` with its type variable T at this dtype, where ONNX allows it.
bool has_runtime_kernel(std::string_view op, std::int32_t opset, ir::DType dtype);

// The nearest dtype wide enough for every value of `dtype` that the slot allows and the runtime has a kernel for;
// `dtype` itself if it will do, Undefined if none is wide enough.
ir::DType widen(std::string_view op, std::int32_t opset, const ir::OpSlot& slot, ir::DType dtype);

}  // namespace tonnx::lower
