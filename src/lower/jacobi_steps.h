#pragma once

#include "lower/matrix.h"

// What Jacobi's decompositions of real and of complex matrices share. Every step rotates n / 2 disjoint pairs of columns at
// once, column i with column i + n / 2; between steps the columns move on as in a round of a tournament, so that n - 1 steps
// meet every pair. A column of zeros makes n even.
namespace tonnx::lower::jacobi {

constexpr std::int64_t kSweeps = 40;

// A size of the matrices; refuses one that is not fixed.
std::int64_t fixed(const Op& op, Term a, std::int64_t axis);

// Where each column comes from in the next step: the first one stays, the others move around it.
Dims next_places(std::int64_t n);

// The rotation that clears an element between a pair: (x, y, element) of the 2 x 2 matrix, the smaller angle.
struct Rotation {
  Term c, s;
};
Rotation rotation(Term x, Term y, Term element);

Term part(Term a, std::int64_t axis, std::int64_t first, std::int64_t last);
Term joined(Term a, Term b, std::int64_t axis);
Term moved(Term a, const Dims& places, std::int64_t axis);
Term padded(Term a, std::int64_t rows, std::int64_t columns);
Term batch_of_identities(Term a, std::int64_t n);

// Whether anything is left to rotate: rank 0, bool.
Value* open(Term rest, Term whole);
Term total(Term a);  // of the squares

// Columns in order of their keys, (batch, n); the first `count` of them.
struct Sorted {
  Term keys;   // (batch, count)
  Term order;  // (batch, 1, count)
};
Sorted sorted(Op& op, Term keys, std::int64_t count, bool largest);
Term columns_at(Op& op, Term a, Term order);

// True for the column that was added: (batch, n).
Term is_added(Term v, std::int64_t n);

}  // namespace tonnx::lower::jacobi
