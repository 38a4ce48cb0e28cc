#include "lower/jacobi.h"

#include <limits>

#include "lower/householder.h"
#include "lower/jacobi_steps.h"
#include "lower/loop.h"
#include "lower/reduce.h"

namespace tonnx::lower {
namespace jacobi {

std::int64_t fixed(const Op& op, Term a, std::int64_t axis) {
  const auto size = op.fixed_size(a.value(), axis);
  if (!size) op.refuse("the sizes of its matrices must be fixed for every run; only the batch may be dynamic");
  return *size;
}

Dims next_places(std::int64_t n) {
  const std::int64_t half = n / 2;
  Dims places(static_cast<std::size_t>(n));
  const auto at = [&](std::int64_t i) -> std::int64_t& { return places[static_cast<std::size_t>(i)]; };
  at(0) = 0;
  for (std::int64_t i = 1; i < half; ++i) at(i) = i == 1 ? half : i - 1;
  for (std::int64_t i = half; i < n; ++i) at(i) = i + 1 < n ? i + 1 : half - 1;
  if (half == 1) at(1) = 1;
  return places;
}

Rotation rotation(Term x, Term y, Term element) {
  const Term idle = element == 0;
  const Term z = (y - x) / (where(idle, 1, element) * 2);
  const Term size = abs(z);
  const Term t = where(z >= 0, z.number(1), z.number(-1)) / (size + sqrt(size * size + 1));
  const Term tangent = where(idle, 0, t);
  const Term c = 1 / sqrt(tangent * tangent + 1);
  return {c, tangent * c};
}

Term part(Term a, std::int64_t axis, std::int64_t first, std::int64_t last) {
  return a.with(a.builder().slice(a.value(), axis, first, last));
}

Term joined(Term a, Term b, std::int64_t axis) { return a.with(a.builder().concat({a.value(), b.value()}, axis)); }

Term moved(Term a, const Dims& places, std::int64_t axis) {
  return a.with(a.builder().gather(a.value(), a.builder().int64s(places), axis));
}

Value* open(Term rest, Term whole) {
  Builder& b = rest.builder();
  const Term left = (rest > whole * 1e-30).cast(DType::Float32);
  return (rest.with(b.reduce("ReduceSum", left.value(), {}, false)) > 0).value();
}

Term total(Term a) { return sum_along(sum_along(a * a, 1), 2); }

Term padded(Term a, std::int64_t rows, std::int64_t columns) {
  if (rows == 0 && columns == 0) return a;
  return a.with(a.builder().pad(a.value(), Dims{0, 0, 0, 0, rows, columns}));
}

Sorted sorted(Op& op, Term keys, std::int64_t count, bool largest) {
  if (op.opset() < 11) op.needs_opset(11, "a decomposition of matrices");
  Builder& b = keys.builder();
  const Values y = b.op("TopK", {keys.value(), b.int64s({count})},
                        {{"axis", std::int64_t{1}}, {"largest", std::int64_t{largest}}}, 2);
  return {keys.with(y[0]), keys.with(b.unsqueeze(y[1], {1}))};
}

Term columns_at(Op& op, Term a, Term order) {
  Builder& b = op.builder();
  Value* rows = b.slice(b.shape(a.value()), 0, 1, 2);
  Value* sizes = b.shape(order.value());
  Value* shape = b.concat({b.slice(sizes, 0, 0, 1), rows, b.slice(sizes, 0, 2, 3)}, 0);
  return a.with(b.gather_elements(a.value(), op->expand(order.value(), shape), 2));
}

Term is_added(Term v, std::int64_t n) { return abs(squeezed(part(v, 1, n, n + 1), 1)) > 0.5; }

Term batch_of_identities(Term a, std::int64_t n) {
  const Term size = a.with(a.builder().int64(n));
  return identity_of(a, size, size) + sum_along(sum_along(a, 1), 2) * 0;
}

}  // namespace jacobi

namespace {

using namespace jacobi;

// Columns i and i + half of a turned by (batch, 1, half) rotations.
Term turned_columns(Term a, const Rotation& r, std::int64_t half) {
  const Term x = part(a, 2, 0, half), y = part(a, 2, half, INT64_MAX);
  return joined(r.c * x - r.s * y, r.s * x + r.c * y, 2);
}

}  // namespace

Eigen eigen_of_symmetric(Op& op, Term given) {
  Builder& b = op.builder();
  const std::int64_t n = fixed(op, given, 1);
  if (n == 0) return {squeezed(sum_along(given, 1), 1), given};
  if (n == 1) return {squeezed(given, 1), given * 0 + 1};
  const std::int64_t size = n + n % 2, half = size / 2;
  const Dims places = next_places(size);
  const Term a = padded(given, size - n, size - n);
  const Term whole = total(a), v = batch_of_identities(a, size);
  const Values ends = loop(
      b, b.int64(kSweeps * (size - 1)), nullptr, {a.value(), v.value()}, [&](Value*, const Values& state) -> Pass {
        const Term m = a.with(state[0]);
        const Term values = unsqueezed(diagonal(m), 1);
        const Term between = unsqueezed(diagonal(part(part(m, 1, 0, half), 2, half, INT64_MAX)), 1);
        const Rotation r = rotation(part(values, 2, 0, half), part(values, 2, half, INT64_MAX), between);
        const auto both = [&](Term x) { return moved(turned_columns(x, r, half), places, 2); };
        const Term next = both(transposed(both(m)));
        const Term rest = where(row_numbers(next) == column_numbers(next), 0, next);
        return {open(total(rest), whole), {next.value(), both(a.with(state[1])).value()}};
      });
  const Term vectors = a.with(ends[1]);
  Term values = diagonal(a.with(ends[0]));
  if (size != n) values = where(is_added(vectors, n), std::numeric_limits<double>::infinity(), values);
  const Sorted s = sorted(op, values, n, false);
  return {s.keys, part(columns_at(op, vectors, s.order), 1, 0, n)};
}

namespace {

// Of a matrix with no more columns than rows.
Svd svd_of_tall(Op& op, Term given, bool full) {
  Builder& b = op.builder();
  const std::int64_t m = fixed(op, given, 1), n = fixed(op, given, 2);
  if (n == 0) {
    const Term u = batch_of_identities(given, m);
    return {full ? u : part(u, 2, 0, 0), squeezed(sum_along(given, 1), 1), transposed(part(given, 1, 0, 0))};
  }
  const std::int64_t size = n + n % 2, half = size / 2;
  const Dims places = next_places(size);
  const Term a = padded(given, 0, size - n);
  const Term v = batch_of_identities(a, size);
  const Values ends = loop(
      b, b.int64(kSweeps * (size - 1)), nullptr, {a.value(), v.value(), total(a).value()},
      [&](Value* pass, const Values& state) -> Pass {
        const Term x = a.with(state[0]);
        const Term left = part(x, 2, 0, half), right = part(x, 2, half, INT64_MAX);
        const Term p = sum_along(left * left, 1), q = sum_along(right * right, 1), between = sum_along(left * right, 1);
        const Rotation r = rotation(p, q, between);
        const auto step = [&](Term y) { return moved(turned_columns(y, r, half), places, 2); };
        // The largest cosine of a pair within one round.
        const Term cosine = between * between / where(p * q == 0, 1, p * q);
        const Term worst = a.with(b.reduce("ReduceMax", cosine.value(), Dims{2}, true));
        const Term round = a.with(pass) - a.with(pass) / (size - 1) * (size - 1);
        const Term begins = round == 0, ends_round = round == size - 2;
        const Term seen = where(begins, worst, max(worst, a.with(state[2])));
        const Term none = a.with(open(seen, seen * 0 + 1));
        return {(!ends_round || none).value(), {step(x).value(), step(a.with(state[1])).value(), seen.value()}};
      });
  const Term columns = a.with(ends[0]), vectors = a.with(ends[1]);
  Term values = squeezed(sqrt(sum_along(columns * columns, 1)), 1);
  if (size != n) values = where(is_added(vectors, n), -1, values);
  const Sorted s = sorted(op, values, n, true);
  // Q of the sorted columns gives U also where values are zero, and the columns beyond.
  const QrFactors f = qr_factors(op, columns_at(op, columns, s.order), full);
  Term signs = unsqueezed(diagonal(f.r), 1);
  signs = where(signs < 0, signs.number(-1), signs.number(1));
  if (full && m > n) signs = signs.with(b.pad(signs.value(), Dims{0, 0, 0, 0, 0, m - n}, "constant", b.scalar(DType::Float64, 1.0)));
  return {f.q * signs, s.keys, part(columns_at(op, vectors, s.order), 1, 0, n)};
}

}  // namespace

Svd svd_of(Op& op, Term a, bool full) {
  if (fixed(op, a, 1) >= fixed(op, a, 2)) return svd_of_tall(op, a, full);
  const Svd turned = svd_of_tall(op, transposed(a), full);
  return {turned.v, turned.values, turned.u};
}

}  // namespace tonnx::lower
