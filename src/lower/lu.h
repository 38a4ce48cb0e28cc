#pragma once

#include <string_view>

#include "lower/triangular.h"

// Shared by real and complex LU factorisations.
namespace tonnx::lower {

struct LowerAndUpper {
  Term lower, upper;
};
// L with ones on its diagonal, and U.
LowerAndUpper unpacked(Term packed);

// The permutation matrix P for a row order.
Term permutation(Term order);
// LAPACK's pivots, which count from one, int32.
Term counted_swaps(Term swaps);
// The argument `pivots` as zero-based int64, (batch, n).
Term pivots_of(Op& op, std::string_view pivots);
// The order of `count` rows that these pivots produce.
Term order_of(Op& op, Term pivots, Term count);

// The current row order of an elimination, (batch, rows), and for each step the row it swapped with its own, (batch,
// steps); int64.
struct RowOrder {
  Term order, swaps;
};
// The initial order; `a` is (batch, rows, columns).
RowOrder in_order(Op& op, Term a, Term steps);
// Step k swaps its row with the row from k on that has the largest `size`, (batch, rows, 1). Returns the new order of
// the rows.
Term exchange(RowOrder& rows, Term k, Term size);

}  // namespace tonnx::lower
