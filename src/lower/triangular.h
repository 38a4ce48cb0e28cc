#pragma once

#include "lower/matrix.h"

namespace tonnx::lower {

// Decompositions and solutions of batches of float64 matrices, (batch, n, n) and (batch, n, k), as loops over n.

// Solves t x = y for a triangular t. The other triangle is not read, nor the diagonal if `unit`.
Term solve_triangular(Op& op, Term t, Term y, bool upper, bool unit);
// The lower Cholesky factor of a symmetric positive definite matrix, whose lower triangle is read; NaN if it is not
// positive definite.
Term cholesky_factor(Op& op, Term a);

// LU = P^T A; the pivot of each column is its largest element.
struct LuFactors {
  Term packed;  // L below the diagonal, U on and above it
  Term order;   // (batch, rows), int64: row i of P^T A is row order[i] of A
  Term swaps;   // (batch, min(rows, columns)), int64: the row that row k was swapped with
};
LuFactors lu_factors(Op& op, Term a, bool pivot = true);
// Solves A x = y.
Term solve_by_lu(Op& op, const LuFactors& f, Term y);
Term solve(Op& op, Term a, Term y);
Term inverse(Op& op, Term a);

}  // namespace tonnx::lower
