#include <algorithm>
#include <cmath>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/jacobi.h"
#include "lower/loop.h"
#include "lower/missing.h"
#include "lower/norm.h"
#include "lower/promotion.h"
#include "lower/reduce.h"
#include "lower/sizes.h"

// Norms, variances and standard deviations over axes.
namespace tonnx::lower {

Value* norm_of(Op& op, Value* x, double p, const ReducedAxes& r) {
  Builder& b = op.builder();
  if (reduced_count(op, x, r) == 0) return filled_result(op, r, x, op.dtype_of(x), 0);
  if (p == 2) return reduce(op, "ReduceL2", x, r);
  if (p == 1) return reduce(op, "ReduceL1", x, r);
  if (p == 0) return b.cast(reduce(op, "ReduceSum", b.cast(b.cast(x, DType::Bool), DType::Float32), r), op.dtype_of(x));
  Value* size = b.op("Abs", {std::isinf(p) ? require_elements(op, x, r) : x});
  if (std::isinf(p)) return reduce_extreme(op, p > 0 ? "ReduceMax" : "ReduceMin", size, r);
  Value* powers = p == 3 ? b.mul(b.mul(size, size), size) : b.op("Pow", {size, b.scalar_like(size, p)});
  return b.op("Pow", {reduce(op, "ReduceSum", powers, r), b.scalar_like(size, 1 / p)});
}

namespace {

// The norm of a dynamic order p, which has rank 0 and the dtype of x.
Value* open_norm(Op& op, Value* x, Value* p, const ReducedAxes& r) {
  Builder& b = op.builder();
  const auto is = [&](double order) { return equal(b, p, b.scalar_like(p, order)); };
  const auto of = [&](double order) { return [&op, x, &r, order] { return norm_of(op, x, order, r); }; };
  const auto sum_of_powers = [&] {
    Value* sum = reduce(op, "ReduceSum", b.op("Pow", {b.op("Abs", {x}), p}), r);
    return b.op("Pow", {sum, b.div(b.scalar_like(p, 1), p)});
  };
  const auto finite = [&] { return either(b, is(2), of(2), sum_of_powers); };
  const auto finite_or_lowest = [&] { return either(b, is(-kInfinity), of(-kInfinity), finite); };
  const auto any = [&] { return either(b, is(kInfinity), of(kInfinity), finite_or_lowest); };
  return reduced_count(op, x, r) == 0 ? norm_of(op, x, 2, r) : either(b, is(0), of(0), any);
}

}  // namespace

Value* norm_by(Op& op, std::string_view argument, Value* x, const ReducedAxes& r) {
  if (op.is_none(argument) || op.is_constant(argument)) return norm_of(op, x, op.maybe_number(argument).value_or(2), r);
  return open_norm(op, x, op.scalar(argument, op.dtype_of(x)), r);
}

namespace {

Value* in_own_dtype(Op& op, Value* x) { return in_result_dtype(op, x, op.dtype_of(x)); }

// norm.Scalar, .ScalarOpt_dim and those with a dtype
Outputs norm(Op& op) {
  Value* x = in_own_dtype(op, op.tensor("self"));
  return norm_by(op, "p", x, reduced_axes(op, x));
}

Outputs vector_norm(Op& op) {
  Value* x = in_own_dtype(op, op.tensor("self"));
  return norm_by(op, "ord", x, reduced_axes(op, x));
}

Outputs frobenius_norm(Op& op) {
  Value* x = in_own_dtype(op, op.tensor("self"));
  return norm_of(op, x, 2, reduced_axes(op, x));
}

// The largest or smallest sum of magnitudes over columns (1) or rows (inf); or the Frobenius norm.
Value* matrix_norm_of(Op& op, Value* x, std::int64_t rows, std::int64_t columns, double p, bool keep) {
  const ReducedAxes both{{std::min(rows, columns), std::max(rows, columns)}, false, keep};
  if (reduced_count(op, x, both) == 0) return filled_result(op, both, x, op.dtype_of(x), 0);
  Value* size = op->op("Abs", {x});
  const std::int64_t summed = std::isinf(p) ? columns : rows;
  const std::int64_t kept = summed == rows ? columns : rows;
  Value* sums = reduce(op, "ReduceSum", size, {{summed}, false, true});
  if (p > 0 && !op.fixed_size(sums, kept)) {  // without elements the largest is 0
    Values sizes;
    for (std::int64_t axis = 0; axis < op.rank_of(sums); ++axis)
      sizes.push_back(axis == kept ? op->int64s({1}) : op->size(sums, axis));
    sums = op->concat({sums, op->constant_of_shape(op->join_sizes(sizes), op.dtype_of(sums), 0)}, kept);
  }
  Value* y = reduce_extreme(op, p > 0 ? "ReduceMax" : "ReduceMin", sums, {{kept}, false, true});
  return keep ? y : op->squeeze(y, rows < columns ? Dims{rows, columns} : Dims{columns, rows});
}

// The sum, the largest or the smallest of the singular values over the axes `given`.
Value* norm_of_singular_values(Op& op, Value* x, const Dims& given, std::string_view reduction, bool keep) {
  Builder& b = op.builder();
  const Dims both{std::min(given[0], given[1]), std::max(given[0], given[1])};
  if (reduced_count(op, x, {both, false, keep}) == 0)
    return filled_result(op, {both, false, keep}, x, op.dtype_of(x), 0);
  Value* moved = b.transpose(x, order_with_back(op.rank_of(x), given));
  const Term values = svd_of(op, matrices(op, moved), false).values;
  const Term norm = reduction == "ReduceMax" ? squeezed(largest_value(values), 1)
                                             : values.with(b.reduce(reduction, values.value(), Dims{1}, false));
  Value* y = with_batch_of(op, moved, norm, 0);
  return b.cast(keep ? b.unsqueeze(y, both) : y, op.dtype_of(x));
}

Outputs matrix_norm_named(Op& op, Value* x, const ReducedAxes& r, const Dims& given, const std::string& name) {
  if (name == "fro") return norm_of(op, x, 2, r);
  if (name == "nuc") return norm_of_singular_values(op, x, given, "ReduceSum", r.keep);
  op.refuse_argument("ord", "'" + name + "' is not a matrix norm");
}

Outputs matrix_norm_numbered(Op& op, Value* x, const ReducedAxes& r, const Dims& given, double p) {
  if (std::fabs(p) == 2) return norm_of_singular_values(op, x, given, p > 0 ? "ReduceMax" : "ReduceMin", r.keep);
  if (std::fabs(p) != 1 && !std::isinf(p))
    op.refuse_argument("ord",
                       "is " + std::to_string(p) + ": supported matrix norms are 1, 2, infinity and their negatives");
  return matrix_norm_of(op, x, given.at(0), given.at(1), p, r.keep);
}

Outputs nuclear_norm(Op& op) {
  Value* x = in_own_dtype(op, op.tensor("self"));
  const Dims given = op.has("dim") ? op.axes("dim", x) : Dims{0, 1};
  return norm_of_singular_values(op, x, given, "ReduceSum", op.flag("keepdim"));
}

// aten::linalg_norm, linalg_matrix_norm; ord is a scalar, a name or None
Outputs linalg_norm(Op& op) {
  Value* x = in_own_dtype(op, op.tensor(op.has("self") ? "self" : "A"));
  const ReducedAxes r = reduced_axes(op, x);
  Dims given = op.axes("dim", x);
  if (op.is_none("ord")) return norm_of(op, x, 2, r);
  const ir::Constant* order = op.constant("ord");
  if (!order) op.refuse_argument("ord", "must be a constant");
  if (given.empty() && op.rank_of(x) == 2) given = {0, 1};
  if (const std::string* name = order->get<std::string>()) return matrix_norm_named(op, x, r, given, *name);
  if (given.size() == 2) return matrix_norm_numbered(op, x, r, given, order->as_double());
  return norm_of(op, x, order->as_double(), r);
}

struct Moments {
  Value* mean;  // in the shape of the result
  Value* variance;
};

const char* correction_argument(const Op& op) { return op.has("correction") ? "correction" : "unbiased"; }

// correction: the argument `correction`, or 1 or 0 for `unbiased`; nullopt if it is dynamic
std::optional<double> correction_of(Op& op) {
  const char* argument = correction_argument(op);
  if (!op.has(argument)) return 1;
  if (!op.is_constant(argument)) return std::nullopt;
  return op.has("correction") ? op.maybe_number(argument).value_or(1) : op.flag(argument) ? 1 : 0;
}

Moments moments(Op& op) {
  Builder& b = op.builder();
  Value* x = in_own_dtype(op, op.value_of(op.node().input(0)));
  const ReducedAxes r = reduced_axes(op, x);
  const DType dtype = op.dtype_of(x);
  const auto count = reduced_count(op, x, r);
  if (count == 0) return {filled_result(op, r, x, dtype, kNan), filled_result(op, r, x, dtype, kNan)};
  ReducedAxes kept = r;
  kept.keep = true;
  Value* mean = mean_over(op, x, kept);
  Value* distance = b.sub(x, mean);
  const auto correction = correction_of(op);
  Value* variance = nullptr;
  if (correction == 0.0) {
    variance = mean_over(op, b.mul(distance, distance), r);
  } else {
    Value* divisor = nullptr;
    if (count && correction) {
      divisor = b.scalar(dtype, std::max(static_cast<double>(*count) - *correction, 0.0));
    } else {
      Value* n = b.int64(1);
      const Dims axes = r.all ? order_with_front(op.rank_of(x), {}) : r.axes;
      for (const std::int64_t axis : axes) n = multiply_sizes(b, n, b.size_scalar(x, axis));
      Value* less = correction ? b.scalar(dtype, *correction) : op.scalar(correction_argument(op), dtype);
      divisor = maximum(b, b.sub(b.cast(n, dtype), less), b.scalar(dtype, 0.0));
    }
    variance = b.div(reduce(op, "ReduceSum", b.mul(distance, distance), r), divisor);
  }
  const bool shaped = r.keep || op.rank_of(x) == 0;
  return {shaped ? mean : r.all ? b.reshape(mean, Dims{}) : b.squeeze(mean, r.axes), variance};
}

Outputs var(Op& op) { return moments(op).variance; }
Outputs std_deviation(Op& op) { return op->op("Sqrt", {moments(op).variance}); }
Outputs var_mean(Op& op) {
  const Moments m = moments(op);
  return {m.variance, m.mean};
}
Outputs std_mean(Op& op) {
  const Moments m = moments(op);
  return {op->op("Sqrt", {m.variance}), m.mean};
}

// aten::dist: the norm of a difference
Outputs dist(Op& op) {
  Value* x = in_own_dtype(op, op.tensor("self"));
  Value* y = in_own_dtype(op, op.tensor("other"));
  return norm_by(op, "p", op->sub(x, y), {{}, true, false});
}

constexpr Row kStatisticsRows[] = {
    {"aten::norm", 7, rounded<norm>},
    {"aten::linalg_vector_norm", 7, rounded<vector_norm>},
    {"aten::frobenius_norm", 7, rounded<frobenius_norm>},
    {"aten::linalg_norm", 7, rounded<linalg_norm>},
    {"aten::linalg_matrix_norm", 7, rounded<linalg_norm>},
    {"aten::nuclear_norm", 11, rounded<nuclear_norm>},
    {"aten::var", 7, rounded<var>},
    {"aten::std", 7, rounded<std_deviation>},
    {"aten::var_mean", 7, rounded<var_mean>},
    {"aten::std_mean", 7, rounded<std_mean>},
    {"aten::dist", 7, rounded<dist>},
};

}  // namespace

std::span<const Row> statistics_rows() { return kStatisticsRows; }

}  // namespace tonnx::lower
