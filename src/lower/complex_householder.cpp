#include "lower/complex_matrix.h"
#include "lower/families.h"
#include "lower/loop.h"

// Householder reflections of complex matrices: H = I - tau v v^H. The first element of v is 1; R has a real diagonal.
namespace tonnx::lower {
namespace {

struct Reflections {
  Complex packed;  // R on and above the diagonal, the vectors v below it
  Complex scales;  // (batch, min(rows, columns))
};

Complex chosen(Term condition, const Complex& x, double y) {
  return {where(condition, x.re, y), where(condition, x.im, 0)};
}
Complex product(const Complex& x, const Complex& y) {
  return {matmul(x.re, y.re) - matmul(x.im, y.im), matmul(x.re, y.im) + matmul(x.im, y.re)};
}
Reflections reflections(const Complex& a) {
  Builder& b = a.re.builder();
  const Term rows = row_numbers(a.re), columns = column_numbers(a.re);
  const Term steps = min(row_count(a.re), column_count(a.re));
  const Term places = a.re.with(b.range(steps.value()));
  Value* zeros = b.constant_of_shape(
      b.concat({b.slice(b.shape(a.re.value()), 0, 0, 1), b.reshape(steps.value(), {1})}, 0), DType::Float64, 0);
  const Values ends = loop(
      b, steps.value(), nullptr, {a.re.value(), a.im.value(), zeros, zeros},
      [&](Value* pass, const Values& state) -> Pass {
        const Term k = a.re.with(pass);
        const Complex rest{k.with(state[0]), k.with(state[1])};
        const Complex along = each(rest, [&](Term part) { return column(part, k); });
        const Complex first = each(along, [&](Term part) { return row(part, k); });
        const Term tail = sum_along(squares(chosen(rows > k, along, 0)), 1);
        const Term flat = tail == 0 && first.im == 0;
        const Term length = sqrt(squares(first) + tail);
        const Term end = where(flat, first.re, where(first.re >= 0, -length, length));
        const Term divisor = where(flat, 1, end);
        const Complex scale{where(flat, 0, (end - first.re) / divisor), where(flat, 0, -first.im / divisor)};
        const Complex span = chosen(flat, Complex{first.re * 0 + 1, first.re * 0}, Complex{first.re - end, first.im});
        const Term here = (rows == k).cast(DType::Float64);
        const Complex vector = chosen(rows > k, along / span, Complex{here, here * 0});
        Complex next = chosen(columns > k, rest - conj(scale) * vector * product(adjoint(vector), rest), rest);
        next = chosen(columns == k && rows > k, vector, next);
        next = chosen(columns == k && rows == k, Complex{end, end * 0}, next);
        const Complex scales = chosen(places == k, each(scale, [](Term part) { return squeezed(part, 2); }),
                                      Complex{k.with(state[2]), k.with(state[3])});
        return {nullptr, {next.re.value(), next.im.value(), scales.re.value(), scales.im.value()}};
      });
  return {{a.re.with(ends[0]), a.re.with(ends[1])}, {a.re.with(ends[2]), a.re.with(ends[3])}};
}

// The product of the reflections, or its adjoint, times y.
Complex reflected(const Reflections& r, const Complex& y, bool turn) {
  Builder& b = y.re.builder();
  const Term rows = row_numbers(r.packed.re);
  const Term steps = y.re.with(b.size_scalar(r.scales.re.value(), 1));
  const Values ends =
      loop(b, steps.value(), nullptr, {y.re.value(), y.im.value()}, [&](Value* pass, const Values& state) -> Pass {
        const Term k = turn ? y.re.with(pass) : steps - 1 - y.re.with(pass);
        const Complex rest{k.with(state[0]), k.with(state[1])};
        const Complex along = each(r.packed, [&](Term part) { return column(part, k); });
        const Term here = (rows == k).cast(DType::Float64);
        const Complex vector = chosen(rows > k, along, Complex{here, here * 0});
        const Complex scale = each(r.scales, [&](Term part) {
          return unsqueezed(part.with(b.take(part.value(), b.reshape(k.value(), {1}), 1)), 2);
        });
        const Complex next = rest - (turn ? conj(scale) : scale) * vector * product(adjoint(vector), rest);
        return {nullptr, {next.re.value(), next.im.value()}};
      });
  return {y.re.with(ends[0]), y.re.with(ends[1])};
}

// Columns of the identity, (batch, rows, columns).
Complex unit_columns(const Complex& a, Term columns) {
  const Term zeros = sum_along(a.re, 2) * 0;
  const Term units = identity_of(a.re, row_count(a.re), columns) + zeros;
  return {units, units * 0};
}

}  // namespace

ComplexQr complex_qr(const Complex& a, bool complete) {
  const Reflections f = reflections(a);
  const Term least = min(row_count(a.re), column_count(a.re));
  const Complex r = each(
      f.packed, [&](Term part) { return complete ? upper_triangle(part) : first_rows(upper_triangle(part), least); });
  return {reflected(f, unit_columns(a, complete ? row_count(a.re) : least), false), r};
}

namespace {

Value* real_of(Op& op, const ir::Value* source) { return op.parts_of(source).real; }

Outputs qr_of(Op& op, std::string_view mode) {
  Value* like = real_of(op, given(op));
  const ComplexQr f = complex_qr(matrices_of(op, given(op)), mode == "complete");
  Value* nothing = op->constant(ir::Tensor::from_bytes(Op::dtype_of(like), {0}, nullptr, 0));
  Lowered q{Lowered::Kind::Complex, nothing, {}, nothing};
  if (mode != "r") q = complex_result(op, like, f.q);
  return Outputs(std::vector<Lowered>{q, complex_result(op, like, f.r)});
}

Outputs linalg_qr(Op& op) { return qr_of(op, op.text("mode")); }
Outputs qr(Op& op) { return qr_of(op, op.flag("some") ? "reduced" : "complete"); }

Outputs geqrf(Op& op) {
  Value* like = real_of(op, given(op));
  const Reflections r = reflections(matrices_of(op, given(op)));
  return Outputs(std::vector<Lowered>{complex_result(op, like, r.packed), complex_result(op, like, r.scales, 1)});
}

Complex scales_of(Op& op, std::string_view argument) {
  const auto batched = [&](Term part) {
    const std::int64_t rank = op.rank_of(part.value());
    return part.with(rank == 1 ? op->unsqueeze(part.value(), {0}) : merge_axes(op, part.value(), 0, rank - 1));
  };
  return each(complex_operand(op, argument, DType::Float64), batched);
}

// aten::linalg_householder_product: the first columns of the product of the reflections
Outputs householder_product(Op& op) {
  const Complex packed = matrices_of(op, given(op));
  const Reflections r{packed, scales_of(op, op.has("tau") ? "tau" : "input2")};
  const Complex q = reflected(r, unit_columns(packed, column_count(packed.re)), false);
  return Outputs(std::vector<Lowered>{complex_result(op, real_of(op, given(op)), q)});
}

// aten::ormqr: the product, or its adjoint, multiplied with a matrix from the left or the right
Outputs ormqr(Op& op) {
  const Reflections r{matrices_of(op, given(op)), scales_of(op, "input2")};
  const Complex y = matrices_of(op, op.source("input3"));
  const bool turned = op.flag("transpose");
  const Complex result = op.flag("left") ? reflected(r, y, turned) : adjoint(reflected(r, adjoint(y), !turned));
  return Outputs(std::vector<Lowered>{complex_result(op, real_of(op, op.source("input3")), result)});
}

constexpr Row kComplexHouseholderRows[] = {
    {"aten::linalg_qr", 11, rounded<linalg_qr>},
    {"aten::qr", 11, rounded<qr>},
    {"aten::geqrf", 11, rounded<geqrf>},
    {"aten::linalg_householder_product", 11, rounded<householder_product>},
    {"aten::orgqr", 11, rounded<householder_product>},
    {"aten::ormqr", 11, rounded<ormqr>},
};

}  // namespace

std::span<const Row> complex_householder_rows() { return kComplexHouseholderRows; }

}  // namespace tonnx::lower
