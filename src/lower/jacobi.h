#pragma once

#include "lower/matrix.h"

namespace tonnx::lower {

// Decompositions by Jacobi rotations, in float64, for any number of matrices of any size.

// Eigenvalues of a symmetric matrix with both triangles filled: a = V diag(values) V^T, values ascending.
struct Eigen {
  Term values;   // (batch, n)
  Term vectors;  // (batch, n, n)
};
Eigen eigen_of_symmetric(Op& op, Term a);

// a = U diag(values) V^T, values descending. U has `rows` columns if `full`, else min(rows, columns); V likewise.
struct Svd {
  Term u, values, v;
};
Svd svd_of(Op& op, Term a, bool full);

// The largest and the smallest of singular values or norms (batch, n): (batch, 1). Without values 0, and infinity.
Term largest_value(Term values);
Term smallest_value(Term values);
// Values up to this share of the largest one count as rounding errors: the epsilon of `dtype` times the longer side.
Term usual_share(Term a, DType dtype);

}  // namespace tonnx::lower
