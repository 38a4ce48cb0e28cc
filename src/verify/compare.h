#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/tensor.h"

namespace tonnx::verify {

// |got - expected| <= atol + rtol * |expected| for each element; NaN equals NaN. Integers and bools are compared
// exactly. A negative tolerance means the default: float64 1e-5, 1e-7; float32 1e-3, 1e-5; float16, bfloat16 and
// narrower 1e-2, 1e-3, by the looser one of the output's dtype and `loosest`.
struct Tolerance {
  double rtol = -1;
  double atol = -1;
  ir::DType loosest = ir::DType::Undefined;  // loosest floating dtype in the model
  double accepted_share = 0;                 // share of the elements of an output that may differ more
  bool check_dtype = true;
  bool check_shape = true;  // otherwise the number of elements
};

// Tolerances of one result; a negative one is that of Tolerance.
struct Limits {
  double rtol = -1;
  double atol = -1;
};

// Returns the dtype with the looser default tolerance; dtypes that are not floating have none.
ir::DType looser(ir::DType a, ir::DType b);

// Compares a model's outputs with LibTorch's. Throws Error(Code::Verification) with the first output that differs in
// count, dtype, shape or value: the number of elements that differ, the largest difference and its location. `own`: the
// limits of the first results; later ones have none.
void compare(const std::vector<ir::Tensor>& expected, const std::vector<ir::Tensor>& got,
             const std::vector<std::string>& names, const Tolerance& tolerance, std::span<const Limits> own = {});

}  // namespace tonnx::verify
