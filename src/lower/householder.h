#pragma once

#include "lower/matrix.h"

namespace tonnx::lower {

// A = Q R by reflections, in the format of LAPACK's geqrf.
struct Reflections {
  Term packed;  // R on and above the diagonal; below it the vectors of the reflections, without their first element 1
  Term scales;  // (batch, min(rows, columns))
};
Reflections reflections(Op& op, Term a);
// Multiplies the product of the reflections, or its transpose, with y, (batch, rows, n).
Term reflected(Op& op, const Reflections& r, Term y, bool transpose);

struct QrFactors {
  Term q, r;
};
// Q has as many columns as rows if `complete`, else min(rows, columns).
QrFactors qr_factors(Op& op, Term a, bool complete);

}  // namespace tonnx::lower
