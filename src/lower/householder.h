#pragma once

#include "lower/matrix.h"

namespace tonnx::lower {

// A = Q R by reflections, as LAPACK's geqrf keeps them.
struct Reflections {
  Term packed;  // R on and above the diagonal, the reflections' vectors below it, their first element 1 left out
  Term scales;  // (batch, min(rows, columns))
};
Reflections reflections(Op& op, Term a);
// The product of the reflections, or of their transposes in turn, times y, (batch, rows, n).
Term reflected(Op& op, const Reflections& r, Term y, bool transpose);

struct QrFactors {
  Term q, r;
};
// Q with as many columns as rows if `complete`, else with min(rows, columns).
QrFactors qr_factors(Op& op, Term a, bool complete);

}  // namespace tonnx::lower
