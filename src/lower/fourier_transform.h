#pragma once

#include "lower/op.h"

// Unscaled discrete Fourier transforms along one axis: the sum of x[t] exp(-2 pi i k t / n); the inverse has the
// opposite sign. Short transforms of fixed size are products with matrices of cosines and sines. All others use ONNX's
// DFT (from opset 17 on), in float64 if the size may not be a power of two and the target has Defect::DftRounding.
// Callers cast half precision to a wider dtype first.
namespace tonnx::lower {

// x, cut or zero-padded along the axis to `size`, rank 0.
Value* resized(Op& op, Value* x, std::int64_t axis, Value* size);
Parts resized(Op& op, const Parts& x, std::int64_t axis, Value* size);

Parts fourier(Op& op, const Parts& x, std::int64_t axis, bool inverse);
// The first n / 2 + 1 results for a real x; the others are their conjugates.
Parts half_fourier(Op& op, Value* x, std::int64_t axis, bool inverse);
// The real result of `size`, rank 0, from the first size / 2 + 1 coefficients; the others are their conjugates.
Value* real_fourier(Op& op, const Parts& x, std::int64_t axis, Value* size, bool inverse);

}  // namespace tonnx::lower
