#pragma once

#include <optional>

#include "lower/matrix.h"

// What Jacobi's decompositions of real and of complex matrices share. Every step rotates n / 2 disjoint pairs of
// columns at once, column i with column i + n / 2; between steps the columns move on as in a round of a tournament, so
// that n - 1 steps meet every pair. A column of zeros makes n even.
namespace tonnx::lower::jacobi {

// The columns that the steps turn, numbers of rank 0.
struct Columns {
  Term count;     // n
  Term size;      // n, or n + 1 where that is odd
  Term half;      // of size
  Value* places;  // where each one comes from in the next step: the first one stays, the others move around it
  Term steps;     // at most that many are made
};
Columns columns_of(Term a);

// A size of the matrices where every run has that one.
std::optional<std::int64_t> known_size(Term a, std::int64_t axis);

// The rotation that clears an element between a pair: (x, y, element) of the 2 x 2 matrix, the smaller angle.
struct Rotation {
  Term c, s;
};
Rotation rotation(Term x, Term y, Term element);

// The first `count` along an axis, and those from there on.
Term front(Term a, std::int64_t axis, Term count);
Term back(Term a, std::int64_t axis, Term first);
Term joined(Term a, Term b, std::int64_t axis);
Term moved(Term a, Value* places, std::int64_t axis);
// With zeros behind the n columns, or rows, so that there are `size` of them.
Term padded(Term a, std::int64_t axis, const Columns& columns);
Term batch_of_identities(Term a, Term n);

// Whether anything is left to rotate: rank 0, bool.
Value* open(Term rest, Term whole);
Term total(Term a);  // of the squares

// Columns in order of their keys, (batch, n); the first `count` of them.
struct Sorted {
  Term keys;   // (batch, count)
  Term order;  // (batch, 1, count)
};
Sorted sorted(Op& op, Term keys, Term count, bool largest);
Term columns_at(Op& op, Term a, Term order);

// `value` in the place of the key, (batch, size), of the column that was added; `v` is what its unit vector became.
Term without_added(Term keys, Term v, const Columns& columns, double value);

// The signs of R's diagonal, (batch, 1, n), and 1 for each column of a full Q beyond it, of which there are `rows` in
// all.
Term signs_of(Term r, std::optional<Term> rows);

// x where the condition, rank 0, holds, else y, which may have other sizes.
Term picked(Term condition, Term x, Term y);

// Whether the matrices have as many rows as columns or more, where every run tells the same.
std::optional<bool> is_known_tall(Term a);

}  // namespace tonnx::lower::jacobi
