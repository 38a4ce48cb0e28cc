#include <algorithm>
#include <limits>

#include "lower/families.h"
#include "lower/jacobi.h"
#include "lower/jacobi_steps.h"
#include "lower/sizes.h"
#include "lower/triangular.h"

// Eigenvalues of symmetric matrices, singular values, and results computed from them: ranks, pseudo-inverses, condition
// numbers.
namespace tonnx::lower {
namespace {

Value* argument(Op& op) { return op.value_of(op.node().input(0)); }

Term symmetric(Term a, bool upper) {
  const Term r = row_numbers(a), c = column_numbers(a);
  return where(upper ? r <= c : r >= c, a, transposed(a));
}

Eigen eigen(Op& op, Value* a) {
  const std::string triangle = op.text("UPLO");
  return eigen_of_symmetric(op, symmetric(matrices(op, a), triangle == "U" || triangle == "u"));
}

Outputs linalg_eigh(Op& op) {
  Value* a = argument(op);
  const Eigen e = eigen(op, a);
  return {with_batch_of(op, a, e.values, 1), with_batch_of(op, a, e.vectors)};
}
Outputs linalg_eigvalsh(Op& op) {
  Value* a = argument(op);
  return with_batch_of(op, a, eigen(op, a).values, 1);
}

// Returns U, the singular values, and V^T (V for aten::svd).
Outputs svd_results(Op& op, bool full, bool turned) {
  Value* a = argument(op);
  const Svd s = svd_of(op, matrices(op, a), full);
  if (op.has("compute_uv") && !op.flag("compute_uv")) return {nullptr, with_batch_of(op, a, s.values, 1), nullptr};
  return {with_batch_of(op, a, s.u), with_batch_of(op, a, s.values, 1),
          with_batch_of(op, a, turned ? transposed(s.v) : s.v)};
}

Outputs linalg_svd(Op& op) { return svd_results(op, op.flag("full_matrices"), true); }
Outputs svd(Op& op) {
  if (!op.flag("compute_uv")) op.refuse_argument("compute_uv", "is False: use linalg.svdvals");
  return svd_results(op, !op.flag("some"), false);
}

Term singular_values(Op& op, Value* a) { return svd_of(op, matrices(op, a), false).values; }

Outputs svdvals(Op& op) {
  Value* a = argument(op);
  return with_batch_of(op, a, singular_values(op, a), 1);
}

// True if it broadcasts to exactly the batch axes of a.
bool fits_batch(const Value* given, const Value* a) {
  const auto &own = *given->facts().dims, &all = *a->facts().dims;
  if (own.size() + 2 > all.size()) return false;
  const auto first = all.end() - 2 - static_cast<std::ptrdiff_t>(own.size());
  const auto fits = [](const ir::Dim& p, const ir::Dim& q) { return (p.is_fixed() && p.size() == 1) || p.same(q); };
  return std::equal(own.begin(), own.end(), first, fits);
}

// A tolerance argument as (batch or 1, 1); null for None.
Value* tolerance(Op& op, std::string_view argument, Value* a) {
  if (!op.has(argument) || op.is_none(argument)) return nullptr;
  Builder& b = op.builder();
  Value* given =
      b.cast(op.source(argument)->type().is_scalar() ? op.scalar(argument, DType::Float64) : op.tensor(argument),
             DType::Float64);
  const std::int64_t rank = op.rank_of(a);
  if (op.rank_of(given) == 0) return b.reshape(given, {1, 1});
  if (!fits_batch(given, a))
    op.refuse_argument(argument, "must be one number, or broadcast to the batch axes of the matrices");
  return b.reshape(rank > 3 ? b.expand(given, sizes_between(op, a, 0, rank - 2)) : given, {-1, 1});
}

// Singular values of x below it count as zero: the larger of an absolute and a relative tolerance.
Term cutoff(Op& op, Value* a, Term x, Term values) {
  Value* absolute = tolerance(op, op.has("tol") ? "tol" : "atol", a);
  Value* relative = tolerance(op, op.has("rcond") ? "rcond" : "rtol", a);
  const Term largest = largest_value(values), usual = usual_share(x, op.dtype_of(a));
  Term share = usual;
  if (relative) {
    share = values.with(relative);
  } else if (absolute) {
    share = where(values.with(absolute) > 0, 0, usual);
  }
  return absolute ? max(largest * share, values.with(absolute)) : largest * share;
}

bool empty(Op& op, const Value* a) { return op.fixed_size(a, -1) == 0 || op.fixed_size(a, -2) == 0; }

Term read(Op& op, Value* a) {
  const Term x = matrices(op, a);
  return op.has("hermitian") && op.flag("hermitian") ? symmetric(x, false) : x;
}

Outputs matrix_rank(Op& op) {
  Builder& b = op.builder();
  Value* a = argument(op);
  const Term x = read(op, a), values = svd_of(op, x, false).values;
  if (empty(op, a))
    return with_batch_of(op, a, values.with(b.reduce("ReduceSum", values.value(), Dims{1}, false)).cast(DType::Int64),
                         0);
  const Term kept = (values > cutoff(op, a, x, values)).cast(DType::Int64);
  return with_batch_of(op, a, kept.with(b.reduce("ReduceSum", kept.value(), Dims{1}, false)), 0);
}

Term pseudo_inverse(Op& op, Value* a) {
  const Term x = read(op, a);
  if (empty(op, a)) return transposed(x);
  const Svd s = svd_of(op, x, false);
  const Term kept = s.values > cutoff(op, a, x, s.values);
  const Term scales = where(kept, 1 / where(kept, s.values, 1), 0);
  return matmul(s.v * unsqueezed(scales, 1), transposed(s.u));
}

Outputs pinv(Op& op) {
  Value* a = argument(op);
  return with_batch_of(op, a, pseudo_inverse(op, a));
}

// For empty matrices it is 0.
Outputs cond(Op& op) {
  Value* a = argument(op);
  const ir::Constant* p = op.is_none("p") ? nullptr : op.constant("p");
  const std::string* name = p ? p->get<std::string>() : nullptr;
  const double order = p && !name ? p->as_double() : 2;
  const Term x = matrices(op, a);
  const auto result = [&](Term y) {
    const Term flat = squeezed(y, 1);
    if (jacobi::known_size(x, 1) && jacobi::known_size(x, 2) && !empty(op, a)) return with_batch_of(op, a, flat, 0);
    return with_batch_of(op, a, where(row_count(x) * column_count(x) == 0, 0, flat), 0);
  };
  if (!name && (order == 2 || order == -2)) {
    const Term values = svd_of(op, x, false).values;
    const Term largest = largest_value(values), smallest = smallest_value(values);
    return result(order == 2 ? largest / smallest : smallest / largest);
  }
  const auto norm = [&](Term y) {
    if (name && *name == "fro") return squeezed(sqrt(sum_along(sum_along(y * y, 1), 2)), 2);
    if (name && *name == "nuc") return sum_along(svd_of(op, y, false).values, 1);
    if (name) op.refuse_argument("p", "'" + *name + "' is not a matrix norm");
    const bool rows = order > 1 || order < -1;
    const Term sums = squeezed(sum_along(abs(y), rows ? 2 : 1), rows ? 2 : 1);
    return order > 0 ? largest_value(sums) : smallest_value(sums);
  };
  return result(norm(x) * norm(inverse(op, x)));
}

constexpr Row kSpectralRows[] = {
    {"aten::linalg_eigh", 11, rounded<linalg_eigh>},
    {"aten::_linalg_eigh", 11, rounded<linalg_eigh>},
    {"aten::linalg_eigvalsh", 11, rounded<linalg_eigvalsh>},
    {"aten::linalg_svd", 11, rounded<linalg_svd>},
    {"aten::_linalg_svd", 11, rounded<linalg_svd>},
    {"aten::svd", 11, rounded<svd>},
    {"aten::linalg_svdvals", 11, rounded<svdvals>},
    {"aten::linalg_matrix_rank", 11, rounded<matrix_rank>},
    {"aten::linalg_pinv", 11, rounded<pinv>},
    {"aten::pinverse", 11, rounded<pinv>},
    {"aten::linalg_cond", 11, rounded<cond>},
};

}  // namespace

std::span<const Row> spectral_rows() { return kSpectralRows; }

}  // namespace tonnx::lower
