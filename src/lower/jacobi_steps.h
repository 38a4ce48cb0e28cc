#pragma once

#include <optional>

#include "lower/matrix.h"

// Shared by the Jacobi decompositions of real and complex matrices. Each step rotates n / 2 disjoint pairs of columns
// in parallel, column i with column i + n / 2. Between steps the columns move as in a round-robin tournament, so that n
// - 1 steps pair every two columns. A column of zeros makes n even.
namespace tonnx::lower::jacobi {

// The columns that the steps rotate; scalars of rank 0.
struct Columns {
  Term count;     // n
  Term size;      // n, or n + 1 if n is odd
  Term half;      // of size
  Value* places;  // for each column its position before the step: the first one stays, the others rotate around it
  Term steps;     // the maximum number of steps
};
Columns columns_of(Term a);

// The size of an axis of the matrices if it is fixed.
std::optional<std::int64_t> known_size(Term a, std::int64_t axis);

// The rotation that makes an off-diagonal element of a pair 0: (x, y, element) of the 2 x 2 matrix; the smaller angle.
struct Rotation {
  Term c, s;
};
Rotation rotation(Term x, Term y, Term element);

// The first `count` elements along an axis, and those from there on.
Term front(Term a, std::int64_t axis, Term count);
Term back(Term a, std::int64_t axis, Term first);
Term joined(Term a, Term b, std::int64_t axis);
Term moved(Term a, Value* places, std::int64_t axis);
// Appends zero columns or rows so that there are `size` of them.
Term padded(Term a, std::int64_t axis, const Columns& columns);
Term batch_of_identities(Term a, Term n);

// True if rotations are left: rank 0, bool.
Value* open(Term rest, Term whole);
Term total(Term a);  // the sum of the squares

// Columns sorted by their keys, (batch, n); the first `count` of them.
struct Sorted {
  Term keys;   // (batch, count)
  Term order;  // (batch, 1, count)
};
Sorted sorted(Op& op, Term keys, Term count, bool largest);
Term columns_at(Op& op, Term a, Term order);

// Replaces the key, (batch, size), of the padding column by `value`; `v` is the rotated unit vector of that column.
Term without_added(Term keys, Term v, const Columns& columns, double value);

// The signs of R's diagonal, (batch, 1, n), and 1 for each extra column of a full Q, up to `rows` in total.
Term signs_of(Term r, std::optional<Term> rows);

// Returns x if the condition (rank 0) holds, else y, which may have another shape.
Term picked(Term condition, Term x, Term y);

// True if the matrices have at least as many rows as columns, false if fewer; nullopt if that is dynamic.
std::optional<bool> is_known_tall(Term a);

}  // namespace tonnx::lower::jacobi
