#include "lower/jacobi.h"

#include <algorithm>
#include <limits>

#include "lower/householder.h"
#include "lower/jacobi_steps.h"
#include "lower/known.h"
#include "lower/loop.h"
#include "lower/reduce.h"

namespace tonnx::lower {
namespace jacobi {

namespace {

constexpr std::int64_t kSweeps = 40;

Dims next_places(std::int64_t n) {
  const std::int64_t half = n / 2;
  Dims places(static_cast<std::size_t>(n));
  const auto at = [&](std::int64_t i) -> std::int64_t& { return places[static_cast<std::size_t>(i)]; };
  for (std::int64_t i = 1; i < half; ++i) at(i) = i == 1 ? half : i - 1;
  for (std::int64_t i = half; i < n; ++i) at(i) = i + 1 < n ? i + 1 : std::max<std::int64_t>(half - 1, 1);
  return places;
}

Value* bound(Term count) {
  Builder& b = count.builder();
  const auto known = known_integer(count.value());
  return known ? b.int64s({*known}) : b.reshape(count.value(), {1});
}

}  // namespace

std::optional<std::int64_t> known_size(Term a, std::int64_t axis) {
  return known_integer(a.builder().size_scalar(a.value(), axis));
}

Columns columns_of(Term a) {
  Builder& b = a.builder();
  const Term n = column_count(a);
  if (const auto known = known_integer(n.value())) {
    const std::int64_t size = *known + *known % 2;
    const auto number = [&](std::int64_t x) { return a.with(b.int64(x)); };
    return {n, number(size), number(size / 2), b.int64s(next_places(size)), number(kSweeps * (size - 1))};
  }
  const Term half = (n + 1) / 2, size = half * 2, place = n.with(b.range(size.value()));
  const Term first = where(place == 1, half, max(place - 1, 0));
  const Term second = where(place + 1 < size, place + 1, max(half - 1, 1));
  return {n, size, half, where(place < half, first, second).value(), max((size - 1) * kSweeps, 0)};
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

Term front(Term a, std::int64_t axis, Term count) {
  Builder& b = a.builder();
  return a.with(b.slice(a.value(), b.int64s({0}), bound(count), b.int64s({axis})));
}

Term back(Term a, std::int64_t axis, Term first) {
  Builder& b = a.builder();
  return a.with(b.slice(a.value(), bound(first), b.int64s({INT64_MAX}), b.int64s({axis})));
}

Term joined(Term a, Term b, std::int64_t axis) { return a.with(a.builder().concat({a.value(), b.value()}, axis)); }

Term moved(Term a, Value* places, std::int64_t axis) { return a.with(a.builder().take(a.value(), places, axis)); }

Value* open(Term rest, Term whole) {
  Builder& b = rest.builder();
  const Term left = (rest > whole * 1e-30).cast(DType::Float32);
  return (rest.with(b.reduce("ReduceSum", left.value(), {}, false)) > 0).value();
}

Term total(Term a) { return sum_along(sum_along(a * a, 1), 2); }

Term padded(Term a, std::int64_t axis, const Columns& columns) {
  Builder& b = a.builder();
  const auto n = known_integer(columns.count.value());
  if (n && *n % 2 == 0) return a;
  if (n) return a.with(b.pad(a.value(), axis == 2 ? Dims{0, 0, 0, 0, 0, 1} : Dims{0, 0, 0, 0, 1, 0}));
  Value* shape = b.shape(front(a, axis, columns.size - columns.count).value());
  return joined(a, a.with(b.constant_of_shape(shape, DType::Float64, 0)), axis);
}

Sorted sorted(Op& op, Term keys, Term count, bool largest) {
  if (op.opset() < 11) op.needs_opset(11, "a decomposition of matrices");
  Builder& b = keys.builder();
  const Values y =
      b.op("TopK", {keys.value(), bound(count)}, {{"axis", std::int64_t{1}}, {"largest", std::int64_t{largest}}}, 2);
  return {keys.with(y[0]), keys.with(b.unsqueeze(y[1], {1}))};
}

Term columns_at(Op& op, Term a, Term order) {
  Builder& b = op.builder();
  Value* rows = b.slice(b.shape(a.value()), 0, 1, 2);
  Value* sizes = b.shape(order.value());
  Value* shape = b.concat({b.slice(sizes, 0, 0, 1), rows, b.slice(sizes, 0, 2, 3)}, 0);
  return a.with(b.gather_elements(a.value(), op->expand(order.value(), shape), 2));
}

Term without_added(Term keys, Term v, const Columns& columns, double value) {
  const auto n = known_integer(columns.count.value());
  if (n && *n % 2 == 0) return keys;
  const Term added = squeezed(sum_along(abs(back(v, 1, columns.count)), 1), 1);
  return where(added > 0.5, value, keys);
}

Term batch_of_identities(Term a, Term n) { return identity_of(a, n, n) + sum_along(sum_along(a, 1), 2) * 0; }

Term signs_of(Term r, std::optional<Term> rows) {
  Builder& b = r.builder();
  Term signs = unsqueezed(diagonal(r), 1);
  signs = where(signs < 0, signs.number(-1), signs.number(1));
  if (!rows) return signs;
  const Term more = r.with(subtract_sizes(b, rows->value(), b.size_scalar(signs.value(), 2)));
  if (known_integer(more.value()) == 0) return signs;
  Value* shape = b.join_sizes({b.size(r.value(), 0), b.int64s({1}), bound(more)});
  return joined(signs, r.with(b.constant_of_shape(shape, DType::Float64, 1)), 2);
}

Term picked(Term condition, Term x, Term y) {
  return x.with(either(x.builder(), condition.value(), [&] { return x.value(); }, [&] { return y.value(); }));
}

std::optional<bool> is_known_tall(Term a) {
  const auto& dims = a.value()->facts().dims;
  if (!dims || dims->size() != 3) return std::nullopt;
  const ir::Dim &rows = (*dims)[1], &columns = (*dims)[2];
  if (rows.same(columns)) return true;
  if (!rows.is_fixed() || !columns.is_fixed()) return std::nullopt;
  return rows.size() >= columns.size();
}

}  // namespace jacobi

namespace {

using namespace jacobi;

// Applies rotations (batch, 1, half) to columns i and i + half of a, and moves the columns to their next positions.
Term stepped(Term a, const Rotation& r, const Columns& columns) {
  const Term x = front(a, 2, columns.half), y = back(a, 2, columns.half);
  return moved(joined(r.c * x - r.s * y, r.s * x + r.c * y, 2), columns.places, 2);
}

}  // namespace

Eigen eigen_of_symmetric(Op& op, Term given) {
  const auto n = known_size(given, 1);
  if (n == 0) return {squeezed(sum_along(given, 1), 1), given};
  if (n == 1) return {squeezed(given, 1), given * 0 + 1};
  const Columns columns = columns_of(given);
  const Term a = padded(padded(given, 2, columns), 1, columns);
  const Term whole = total(a), v = batch_of_identities(a, columns.size);
  const auto step = [&](Value*, const Values& state) -> Pass {
    const Term m = a.with(state[0]);
    const Term values = unsqueezed(diagonal(m), 1);
    const Term between = unsqueezed(diagonal(back(front(m, 1, columns.half), 2, columns.half)), 1);
    const Rotation r = rotation(front(values, 2, columns.half), back(values, 2, columns.half), between);
    const Term next = stepped(transposed(stepped(m, r, columns)), r, columns);
    const Term rest = where(row_numbers(next) == column_numbers(next), 0, next);
    return {open(total(rest), whole), {next.value(), stepped(a.with(state[1]), r, columns).value()}};
  };
  const Values ends = loop(op.builder(), columns.steps.value(), nullptr, {a.value(), v.value()}, step);
  const Term vectors = a.with(ends[1]);
  const Term values = without_added(diagonal(a.with(ends[0])), vectors, columns, kInfinity);
  const Sorted s = sorted(op, values, columns.count, false);
  return {s.keys, front(columns_at(op, vectors, s.order), 1, columns.count)};
}

namespace {

// The decomposition of a matrix with no more columns than rows.
Svd svd_of_tall(Op& op, Term given, bool full) {
  Builder& b = op.builder();
  if (known_size(given, 2) == 0) {
    const Term u = batch_of_identities(given, row_count(given)), none = given.with(b.int64(0));
    return {full ? u : front(u, 2, none), squeezed(sum_along(given, 1), 1), transposed(front(given, 1, none))};
  }
  const Columns columns = columns_of(given);
  const Term a = padded(given, 2, columns), v = batch_of_identities(a, columns.size), rounds = columns.size - 1;
  const Values ends = loop(b, columns.steps.value(), nullptr, {a.value(), v.value(), total(a).value()},
                           [&](Value* pass, const Values& state) -> Pass {
                             const Term x = a.with(state[0]);
                             const Term left = front(x, 2, columns.half), right = back(x, 2, columns.half);
                             const Term p = sum_along(left * left, 1), q = sum_along(right * right, 1),
                                        between = sum_along(left * right, 1);
                             const Rotation r = rotation(p, q, between);
                             // The largest cosine between the columns of a pair in one round.
                             const Term cosine = between * between / where(p * q == 0, 1, p * q);
                             const Term worst = a.with(b.reduce("ReduceMax", cosine.value(), Dims{2}, true));
                             const Term number = a.with(pass), round = number - number / rounds * rounds;
                             const Term seen = where(round == 0, worst, max(worst, a.with(state[2])));
                             const Term none = a.with(open(seen, seen * 0 + 1));
                             const Term next = stepped(x, r, columns), unit = stepped(a.with(state[1]), r, columns);
                             return {(round != rounds - 1 || none).value(), {next.value(), unit.value(), seen.value()}};
                           });
  const Term turned = a.with(ends[0]), vectors = a.with(ends[1]);
  const Term values = without_added(squeezed(sqrt(sum_along(turned * turned, 1)), 1), vectors, columns, -1);
  const Sorted s = sorted(op, values, columns.count, true);
  // Q of the sorted columns defines U even for zero singular values, and the extra columns of a full U.
  const QrFactors f = qr_factors(op, columns_at(op, turned, s.order), full);
  const std::optional<Term> rows = full ? std::optional(row_count(given)) : std::nullopt;
  return {f.q * signs_of(f.r, rows), s.keys, front(columns_at(op, vectors, s.order), 1, columns.count)};
}

}  // namespace

Svd svd_of(Op& op, Term a, bool full) {
  const auto known = is_known_tall(a);
  if (known == true) return svd_of_tall(op, a, full);
  if (known == false) {
    const Svd turned = svd_of_tall(op, transposed(a), full);
    return {turned.v, turned.values, turned.u};
  }
  const Term tall = row_count(a) >= column_count(a);
  const Svd s = svd_of_tall(op, picked(tall, a, transposed(a)), full);
  return {picked(tall, s.u, s.v), s.values, picked(tall, s.v, s.u)};
}

namespace {

// A reduction of values (batch, n); `of_none` is its neutral element, and the result if there are no values.
Term extreme(Term values, std::string_view reduction, double of_none) {
  Builder& b = values.builder();
  if (!known_size(values, 1)) {
    Value* shape = b.join_sizes({b.size(values.value(), 0), b.int64s({1})});
    values = joined(values, values.with(b.expand(values.number(of_none).value(), shape)), 1);
  }
  return values.with(b.reduce(reduction, values.value(), Dims{1}, true));
}

}  // namespace

Term largest_value(Term values) { return extreme(values, "ReduceMax", 0); }
Term smallest_value(Term values) { return extreme(values, "ReduceMin", kInfinity); }

Term usual_share(Term a, DType dtype) {
  const double epsilon =
      dtype == DType::Float64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  const auto rows = known_size(a, 1), columns = known_size(a, 2);
  if (rows && columns) return a.number(epsilon * static_cast<double>(std::max(*rows, *columns)));
  return max(row_count(a), column_count(a)).cast(DType::Float64) * epsilon;
}

}  // namespace tonnx::lower
