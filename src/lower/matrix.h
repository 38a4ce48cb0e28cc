#pragma once

#include "lower/formula.h"
#include "lower/op.h"

// Batches of float64 matrices with one batch axis, for the lowerings of linear algebra.
namespace tonnx::lower {

// Tensor `argument` as (batch, rows, columns).
Term matrices(Op& op, std::string_view argument);
Term matrices(Op& op, Value* x);

// Reshapes y, (batch, ...), to the batch axes of `like`, which has `matrix_rank` more axes (2: matrices, 1: vectors).
Value* with_batch_of(Op& op, Value* like, Term y, std::int64_t matrix_rank = 2);

// The number of rows or columns, rank 0.
Term row_count(Term a);
Term column_count(Term a);
Term row_numbers(Term a);     // (rows, 1), int64
Term column_numbers(Term a);  // (columns), int64

Term transposed(Term a);
Term matmul(Term a, Term b);
Term identity_like(Term a);  // (rows, rows)
Term identity_of(Term a, Term rows, Term columns);
Term row(Term a, Term k);     // (batch, 1, columns); k is rank 0, int64
Term column(Term a, Term k);  // (batch, rows, 1)
Term diagonal(Term a);  // (batch, min(rows, columns)), of matrices with at least as many columns as rows, or of any
Term sum_along(Term a, std::int64_t axis);  // preserves the axis
Term squeezed(Term a, std::int64_t axis);
Term unsqueezed(Term a, std::int64_t axis);
// The rows of a at `places`, (batch, n), int64.
Term rows_at(Op& op, Term a, Term places);
// The first `count` (rank 0, int64) rows or columns.
Term first_rows(Term a, Term count);
Term first_columns(Term a, Term count);
// Sets elements above or below the diagonal to zero; `keep_diagonal` preserves the diagonal.
Term lower_triangle(Term a, bool keep_diagonal = true);
Term upper_triangle(Term a, bool keep_diagonal = true);
// LAPACK's info for each matrix, int32: the index of the first true element of `bad`, (batch, n), plus one; 0 if there
// is none.
Value* info_of(Op& op, Value* like, Term bad);

}  // namespace tonnx::lower
