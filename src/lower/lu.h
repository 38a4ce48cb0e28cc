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

// An elimination's rows as they stand now, (batch, rows), and with which row each step exchanged its own, (batch,
// steps); int64.
struct RowOrder {
  Term order, swaps;
};
// Nothing is exchanged yet; `a` is (batch, rows, columns).
RowOrder in_order(Op& op, Term a, Term steps);
// Step k exchanges its row with the one of those from k on whose `size`, (batch, rows, 1), is largest. The rows' new
// places.
Term exchange(RowOrder& rows, Term k, Term size);

}  // namespace tonnx::lower
