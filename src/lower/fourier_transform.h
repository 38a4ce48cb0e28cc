#pragma once

#include "lower/op.h"

// Discrete Fourier transforms along one axis, none of them scaled. A transform is the sum of x[t] exp(-2 pi i k t / n),
// an inverse one that with the other sign. Short ones of fixed size are products with matrices of cosines and sines;
// from opset 17 on all others are ONNX's DFT, in float64 where the size may be no power of two, for ONNX Runtime loses
// digits there. Parts of half precision are to be widened before.
namespace tonnx::lower {

// x along the axis cut or filled up with zeros to `size`, rank 0.
Value* resized(Op& op, Value* x, std::int64_t axis, Value* size);
Parts resized(Op& op, const Parts& x, std::int64_t axis, Value* size);

Parts fourier(Op& op, const Parts& x, std::int64_t axis, bool inverse);
// Of a real x the first n / 2 + 1 results; the others are their conjugates.
Parts half_fourier(Op& op, Value* x, std::int64_t axis, bool inverse);
// The real result of `size`, rank 0, from the first size / 2 + 1 numbers of which the others are the conjugates.
Value* real_fourier(Op& op, const Parts& x, std::int64_t axis, Value* size, bool inverse);

}  // namespace tonnx::lower
