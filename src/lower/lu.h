#pragma once

#include <string_view>

#include "lower/triangular.h"

// What real and complex LU factors share.
namespace tonnx::lower {

struct LowerAndUpper {
  Term lower, upper;
};
// L with ones on its diagonal, and U.
LowerAndUpper unpacked(Term packed);

// P of the order of rows that factors have.
Term permutation(Term order);
// LAPACK's pivots, which count from one, int32.
Term counted_swaps(Term swaps);
// Tensor `pivots` of such, (batch, n), int64.
Term pivots_of(Op& op, std::string_view pivots);
// The order of `count` rows that they lead to.
Term order_of(Op& op, Term pivots, Term count);

}  // namespace tonnx::lower
