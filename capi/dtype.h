#pragma once

#include <string>

#include "guard.h"
#include "ir/dtype.h"
#include "tonnx/base.h"

namespace tonnx::capi {

// A dtype of the C API; an unknown one is the value itself, which has no name and no size.
inline ir::DType from_c(tonnx_dtype dtype) {
  // Inside of tonnx, c10's value of a dtype that tonnx does not have (Bits4x2) is Undefined.
  return dtype == TONNX_DTYPE_UNDEFINED ? ir::DType::Undefined : static_cast<ir::DType>(dtype);
}

inline tonnx_dtype to_c(ir::DType dtype) {
  return dtype == ir::DType::Undefined ? TONNX_DTYPE_UNDEFINED : static_cast<tonnx_dtype>(dtype);
}

// Returns a dtype that ONNX has; refuses others.
inline ir::DType onnx_dtype(tonnx_dtype dtype) {
  const ir::DType type = from_c(dtype);
  if (ir::onnx_type(type) == 0) refuse("ONNX has no dtype " + std::to_string(dtype));
  return type;
}

}  // namespace tonnx::capi
