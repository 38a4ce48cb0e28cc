#pragma once

#include "lower/matrix.h"

namespace tonnx::lower {

// Decompositions by Jacobi's rotations, float64; the matrices' sizes must be fixed for every run, the batch need not.

// Of a symmetric matrix, both triangles filled: a = V diag(values) V^T, values ascending.
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

}  // namespace tonnx::lower
