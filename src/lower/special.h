#pragma once

#include "lower/builder.h"

// Functions that ONNX lacks at old opsets, or the target in float64, built in float64 from other operators. The result
// has the dtype of x.
namespace tonnx::lower {

Value* erf(Builder& b, Value* x);
Value* erfc(Builder& b, Value* x);
Value* erfcx(Builder& b, Value* x);  // exp(x^2) erfc(x)
Value* gelu(Builder& b, Value* x);   // x/2 (1 + erf(x / sqrt 2)); the operator Gelu from opset 20
Value* asin(Builder& b, Value* x);
Value* acos(Builder& b, Value* x);
Value* atan(Builder& b, Value* x);
Value* sigmoid(Builder& b, Value* x);
Value* bessel_i0(Builder& b, Value* x);  // in float64
// The angle of (x, y) in the right quadrant.
Value* atan2(Builder& b, Value* y, Value* x);

}  // namespace tonnx::lower
