#pragma once

#include "lower/complex.h"
#include "lower/matrix.h"

// Batches of complex matrices, and their real block form: [[a, -b], [b, a]] for a + bi.
namespace tonnx::lower {

// Applies `change` to either part.
Complex each(const Complex& x, const auto& change) { return {change(x.re), change(x.im)}; }

// Returns x where the condition holds, else y.
inline Complex chosen(Term condition, const Complex& x, const Complex& y) {
  return {where(condition, x.re, y.re), where(condition, x.im, y.im)};
}

// A tensor as (batch, rows, columns) in float64.
inline const ir::Value* given(Op& op) { return op.node().input(0); }
Complex matrices_of(Op& op, const ir::Value* source);
// y, (batch, ...), with the batch axes of `like`; see with_batch_of.
Lowered complex_result(Op& op, Value* like, const Complex& y, std::int64_t matrix_rank = 2);

inline Complex adjoint(const Complex& x) { return {transposed(x.re), -transposed(x.im)}; }

// a = Q R by reflections, R with a real diagonal. Q has as many columns as rows if `complete`, else min(rows, columns).
struct ComplexQr {
  Complex q, r;
};
ComplexQr complex_qr(const Complex& a, bool complete);

// The real block matrices, with twice the rows and columns, of complex matrices. Refuses a tensor of fewer than two
// axes.
Value* standing_for(Op& op, const Parts& p);
// The complex matrices of real block matrices.
Parts read_back(Op& op, Value* y);

}  // namespace tonnx::lower
