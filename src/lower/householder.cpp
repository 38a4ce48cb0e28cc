#include "lower/householder.h"

#include "lower/families.h"
#include "lower/loop.h"

// Householder reflections: QR factors with LAPACK's signs.
namespace tonnx::lower {

Reflections reflections(Op& op, Term a) {
  Builder& b = op.builder();
  const Term rows = row_numbers(a), columns = column_numbers(a);
  const Term steps = min(row_count(a), column_count(a));
  const Term places = a.with(b.range(steps.value()));
  Value* shape = b.concat({b.slice(b.shape(a.value()), 0, 0, 1), b.reshape(steps.value(), {1})}, 0);
  const Values ends = loop(b, steps.value(), nullptr, {a.value(), b.constant_of_shape(shape, DType::Float64, 0)},
                           [&](Value* pass, const Values& state) -> Pass {
                             const Term k = a.with(pass), rest = a.with(state[0]);
                             const Term along = column(rest, k), first = row(along, k);
                             const Term below = where(rows > k, along, 0);
                             const Term tail = sum_along(below * below, 1);
                             const Term flat = tail == 0;
                             const Term length = sqrt(first * first + tail);
                             const Term end = where(flat, first, where(first >= 0, -length, length));
                             const Term scale = where(flat, 0, (end - first) / where(flat, 1, end));
                             const Term vector =
                                 where(rows > k, along / where(flat, 1, first - end), (rows == k).cast(DType::Float64));
                             const Term product = matmul(transposed(vector), rest);
                             Term next = where(columns > k, rest - scale * vector * product, rest);
                             next = where(columns == k && rows > k, vector, next);
                             next = where(columns == k && rows == k, end, next);
                             const Term scales = where(places == k, squeezed(scale, 2), a.with(state[1]));
                             return {nullptr, {next.value(), scales.value()}};
                           });
  return {a.with(ends[0]), a.with(ends[1])};
}

Term reflected(Op& op, const Reflections& r, Term y, bool transpose) {
  Builder& b = op.builder();
  const Term rows = row_numbers(r.packed);
  const Term steps = y.with(b.size_scalar(r.scales.value(), 1));
  const Values ends = loop(b, steps.value(), nullptr, {y.value()}, [&](Value* pass, const Values& state) -> Pass {
    const Term k = transpose ? y.with(pass) : steps - 1 - y.with(pass);
    const Term rest = y.with(state[0]);
    const Term along = column(r.packed, k);
    const Term vector = where(rows > k, along, (rows == k).cast(DType::Float64));
    const Term scale = unsqueezed(y.with(b.take(r.scales.value(), b.reshape(k.value(), {1}), 1)), 2);
    return {nullptr, {(rest - scale * vector * matmul(transposed(vector), rest)).value()}};
  });
  return y.with(ends[0]);
}

namespace {

// Rows of the identity, (batch, rows, columns).
Term unit_columns(Term a, Term columns) { return identity_of(a, row_count(a), columns) + sum_along(a, 2) * 0; }

}  // namespace

QrFactors qr_factors(Op& op, Term a, bool complete) {
  const Reflections f = reflections(op, a);
  const Term least = min(row_count(a), column_count(a));
  const Term columns = complete ? row_count(a) : least;
  const Term q = reflected(op, f, unit_columns(a, columns), false);
  const Term r = upper_triangle(f.packed);
  return {q, complete ? r : first_rows(r, least)};
}

namespace {

Outputs qr_of(Op& op, Value* a, const std::string& mode) {
  if (mode == "r") {
    const Term x = matrices(op, a);
    const Term r = first_rows(upper_triangle(reflections(op, x).packed), min(row_count(x), column_count(x)));
    return {op->constant(ir::Tensor::from_bytes(op.dtype_of(a), {0}, nullptr, 0)), with_batch_of(op, a, r)};
  }
  const QrFactors f = qr_factors(op, matrices(op, a), mode == "complete");
  return {with_batch_of(op, a, f.q), with_batch_of(op, a, f.r)};
}

Outputs linalg_qr(Op& op) { return qr_of(op, op.tensor("A"), op.text("mode")); }
Outputs qr(Op& op) { return qr_of(op, op.tensor("self"), op.flag("some") ? "reduced" : "complete"); }

Outputs geqrf(Op& op) {
  Value* a = op.tensor("self");
  const Reflections r = reflections(op, matrices(op, a));
  return {with_batch_of(op, a, r.packed), with_batch_of(op, a, r.scales, 1)};
}

Term scales_of(Op& op, std::string_view argument) {
  Value* scales = op->cast(op.tensor(argument), DType::Float64);
  const std::int64_t rank = op.rank_of(scales);
  return {op.builder(), rank == 1 ? op->unsqueeze(scales, {0}) : merge_axes(op, scales, 0, rank - 1)};
}

// aten::linalg_householder_product: the first columns of the product of the reflections
Outputs householder_product(Op& op) {
  Value* a = op.value_of(op.node().input(0));
  const Term packed = matrices(op, a);
  const Term start = unit_columns(packed, column_count(packed));
  const std::string_view scales = op.has("tau") ? "tau" : "input2";
  return with_batch_of(op, a, reflected(op, {packed, scales_of(op, scales)}, start, false));
}

// aten::ormqr: the product, or its transpose, multiplied with a matrix from the left or the right
Outputs ormqr(Op& op) {
  Value* given = op.tensor("input3");
  const Reflections r{matrices(op, "self"), scales_of(op, "input2")};
  const Term y = matrices(op, given);
  const bool turned = op.flag("transpose");
  if (op.flag("left")) return with_batch_of(op, given, reflected(op, r, y, turned));
  return with_batch_of(op, given, transposed(reflected(op, r, transposed(y), !turned)));
}

constexpr Row kHouseholderRows[] = {
    {"aten::linalg_qr", 11, rounded<linalg_qr>},
    {"aten::qr", 11, rounded<qr>},
    {"aten::geqrf", 11, rounded<geqrf>},
    {"aten::linalg_householder_product", 11, rounded<householder_product>},
    {"aten::orgqr", 11, rounded<householder_product>},
    {"aten::ormqr", 11, rounded<ormqr>},
};

}  // namespace

std::span<const Row> householder_rows() { return kHouseholderRows; }

}  // namespace tonnx::lower
