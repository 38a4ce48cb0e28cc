#include "lower/complex_matrix.h"

#include <cmath>
#include <numeric>

#include "lower/complex.h"
#include "lower/families.h"
#include "lower/loop.h"
#include "lower/matrix.h"
#include "lower/part_call.h"
#include "lower/sizes.h"
#include "lower/whole.h"

// Linear algebra of complex matrices through real ones: a + bi becomes the real block matrix [[a, -b], [b, a]]. Sums,
// products, inverses and Cholesky factors map to those of the block matrices. Each eigenvalue and singular value occurs
// twice.
namespace tonnx::lower {
namespace {

// Interleaves x and y along an axis.
Value* interleave(Op& op, Value* x, Value* y, std::int64_t axis) {
  return merge_axes(op, op->concat({op->unsqueeze(x, {axis + 1}), op->unsqueeze(y, {axis + 1})}, axis + 1), axis, 2);
}

Value* every_second(Op& op, Value* x, std::int64_t axis, std::int64_t first) {
  return op->slice(x, axis, first, INT64_MAX, 2);
}

}  // namespace

Complex matrices_of(Op& op, const ir::Value* source) {
  const Parts parts = parts_operand(op, source, DType::Float64);
  const Term re = matrices(op, parts.real);
  return {re, parts.imaginary ? matrices(op, parts.imaginary) : re * 0};
}

Lowered complex_result(Op& op, Value* like, const Complex& y, std::int64_t matrix_rank) {
  return {Lowered::Kind::Complex,
          with_batch_of(op, like, y.re, matrix_rank),
          {},
          with_batch_of(op, like, y.im, matrix_rank)};
}

Value* standing_for(Op& op, const Parts& p) {
  Builder& b = op.builder();
  Value* im = p.imaginary ? p.imaginary : b.constant_of_shape(b.shape(p.real), Op::dtype_of(p.real), 0);
  const std::int64_t rank = op.rank_of(p.real);
  if (rank < 2) op.refuse("it needs a matrix, not a tensor of rank " + std::to_string(rank));
  return interleave(op, interleave(op, p.real, im, rank - 2), interleave(op, b.op("Neg", {im}), p.real, rank - 2),
                    rank - 1);
}

Parts read_back(Op& op, Value* y) {
  const std::int64_t rank = op.rank_of(y);
  Value* columns = every_second(op, y, rank - 1, 0);
  return {every_second(op, columns, rank - 2, 0), every_second(op, columns, rank - 2, 1)};
}

namespace {

std::string_view matrix_argument(const Op& op) { return op.has("A") ? "A" : op.has("input") ? "input" : "self"; }

// A Hermitian matrix; LAPACK ignores imaginary parts on its diagonal.
Parts real_on_diagonal(Op& op, const Parts& p) {
  Builder& b = op.builder();
  const Term rows{b, b.unsqueeze(b.range(b.size_scalar(p.real, -2)), {1})};
  const Term columns{b, b.range(b.size_scalar(p.real, -1))};
  return {p.real, where(rows == columns, 0, Term{b, p.imaginary}).value()};
}

Outputs of_standing(Op& op, bool hermitian = false) {
  const std::string_view argument = matrix_argument(op);
  Parts parts = op.parts_of(op.source(argument));
  if (hermitian || (op.has("hermitian") && op.flag("hermitian"))) parts = real_on_diagonal(op, parts);
  return call_with(op, {{argument, Part::Given, standing_for(op, parts)}});
}

// A matrix and, for the _ex forms, LAPACK's info, which counts rows from one.
Outputs matrix_result(Op& op, Outputs wide) {
  const Parts parts = read_back(op, wide.items.front().one);
  wide.items.front() = {Lowered::Kind::Complex, parts.real, {}, parts.imaginary};
  Value*& info = wide.items.back().one;
  if (wide.items.size() > 1 && info) info = op->div(op->add(info, op->scalar_like(info, 1)), op->scalar_like(info, 2));
  return wide;
}

template <bool Hermitian>
Outputs of_matrix(Op& op) {
  return matrix_result(op, of_standing(op, Hermitian));
}

Outputs linalg_solve(Op& op) {
  Parts y = op.parts_of(op.source("B"));
  const Parts a = op.parts_of(op.source("A"));
  const std::int64_t rank = op.rank_of(y.real);
  if (!op.result().has_rank()) op.refuse("the rank of the result must be known");
  const bool vectors = rank == 1 || (rank < op.rank_of(a.real) && op.result().rank() == rank);
  if (vectors) y = {op->unsqueeze(y.real, {rank}), y.imaginary ? op->unsqueeze(y.imaginary, {rank}) : nullptr};
  // A single block matrix applied to a batch of them must not look like a batch of vectors.
  if (const std::int64_t missing = op.rank_of(a.real) - op.rank_of(y.real); missing > 0) {
    Dims leading(static_cast<std::size_t>(missing));
    std::iota(leading.begin(), leading.end(), 0);
    y = {op->unsqueeze(y.real, leading), y.imaginary ? op->unsqueeze(y.imaginary, leading) : nullptr};
  }
  Outputs found = matrix_result(
      op, call_with(op, {{"A", Part::Given, standing_for(op, a)}, {"B", Part::Given, standing_for(op, y)}}));
  if (vectors)
    for (Value** part : {&found.items.front().one, &found.items.front().imaginary})
      *part = op->squeeze(*part, {op.rank_of(*part) - 1});
  return found;
}

Outputs cholesky_solve(Op& op) {
  return matrix_result(op,
                       call_with(op, {{"self", Part::Given, standing_for(op, op.parts_of(op.source("self")))},
                                      {"input2", Part::Given, standing_for(op, op.parts_of(op.source("input2")))}}));
}

// Eigenvalues and singular values.
Outputs values_once(Op& op) {
  Value* twice = of_standing(op, op.has("UPLO")).items.front().one;
  return every_second(op, twice, op.rank_of(twice) - 1, 0);
}

Outputs matrix_rank(Op& op) {
  Value* twice = of_standing(op).items.front().one;
  return op->div(twice, op->scalar_like(twice, 2));
}

// aten::linalg_lstsq: every column, rank and singular value of the block matrices occurs twice.
Outputs lstsq(Op& op) {
  const Parts a = op.parts_of(op.source("self"));
  Parts y = op.parts_of(op.source("b"));
  const std::int64_t rank = op.rank_of(a.real);
  const bool vectors = op.rank_of(y.real) == rank - 1;
  if (vectors) y = {op->unsqueeze(y.real, {rank - 1}), y.imaginary ? op->unsqueeze(y.imaginary, {rank - 1}) : nullptr};
  Outputs found = call_with(op, {{"self", Part::Given, standing_for(op, a)}, {"b", Part::Given, standing_for(op, y)}});
  Lowered& solution = found.items[0];
  const Parts parts = read_back(op, solution.one);
  solution = {Lowered::Kind::Complex, parts.real, {}, parts.imaginary};
  Value *&residuals = found.items[1].one, *&ranks = found.items[2].one, *&values = found.items[3].one;
  if (residuals) residuals = every_second(op, residuals, op.rank_of(residuals) - 1, 0);
  values = every_second(op, values, op.rank_of(values) - 1, 0);
  if (op.rank_of(ranks) == rank - 2) ranks = op->div(ranks, op->scalar_like(ranks, 2));
  if (!vectors) return found;
  for (Value** part : {&solution.one, &solution.imaginary}) *part = op->squeeze(*part, {rank - 1});
  if (residuals && op.rank_of(residuals) == rank - 1) residuals = op->squeeze(residuals, {rank - 2});
  return found;
}

// The name of a norm, or an empty string and its order; 2 for None.
std::string norm_name(Op& op, std::string_view argument, double* order) {
  *order = 2;
  if (op.is_none(argument)) return {};
  const ir::Constant* given = op.constant(argument);
  if (!given) op.refuse_argument(argument, "must be a constant");
  if (const std::string* name = given->get<std::string>()) return *name;
  *order = given->as_double();
  return {};
}

// One of the two norms is that of the inverse; each is larger by this factor.
Outputs cond(Op& op) {
  double order = 2;
  const std::string name = norm_name(op, "p", &order);
  if (name.empty() && std::abs(order) != 2)
    op.refuse_argument("p", "must be None, 2, -2, 'fro' or 'nuc' for complex matrices");
  Value* wide = of_standing(op).items.front().one;
  return name.empty() ? wide : op->div(wide, op->scalar_like(wide, name == "fro" ? 2 : 4));
}

// aten::linalg_matrix_norm, aten::linalg_norm of matrices: computed from singular values or from the magnitudes of
// elements
Outputs matrix_norm(Op& op) {
  const std::string_view argument = matrix_argument(op);
  const Parts parts = op.parts_of(op.source(argument));
  double order = 2;
  const std::string name = norm_name(op, "ord", &order);
  const std::int64_t rank = op.rank_of(parts.real);
  const bool whole = op.has("dim") && op.is_none("dim");
  const Dims axes = whole ? Dims{} : op.axes("dim", parts.real);
  const bool of_values = name == "nuc" || (name.empty() && !op.is_none("ord") && std::abs(order) == 2 &&
                                           (whole ? rank == 2 : axes.size() == 2));
  if (!of_values) {
    const Term sizes = abs(complex_operand(op, argument, Op::dtype_of(parts.real)));
    return call_with(op, {{argument, Part::Given, sizes.value()}});
  }
  if (!whole && axes != Dims{rank - 2, rank - 1})
    op.refuse_argument("dim", "must name the last two axes for complex matrices");
  Value* wide = of_standing(op).items.front().one;
  return name == "nuc" ? op->mul(wide, op->scalar_like(wide, 0.5)) : wide;
}

Complex at(const Complex& x, Term (*part)(Term, Term), Term k) { return {part(x.re, k), part(x.im, k)}; }
Complex where(Term condition, const Complex& x, const Complex& y) {
  return {where(condition, x.re, y.re), where(condition, x.im, y.im)};
}
Term one_norm(const Complex& x) { return abs(x.re) + abs(x.im); }

struct Determinant {
  Complex phase;  // (batch, 1, 1), magnitude 1, or 0
  Term size;      // the logarithm of its magnitude
};

// By elimination with the largest element of each column as pivot.
Determinant determinant(Op& op, const Complex& a) {
  Builder& b = op.builder();
  const Term rows = row_numbers(a.re), first = sum_along(sum_along(a.re, 1), 2) * 0;
  const Values ends = loop(
      b, row_count(a.re).value(), nullptr,
      {a.re.value(), a.im.value(), (first + 1).value(), first.value(), first.value()},
      [&](Value* pass, const Values& state) -> Pass {
        const Term k = a.re.with(pass);
        const Complex rest{a.re.with(state[0]), a.re.with(state[1])}, phase{a.re.with(state[2]), a.re.with(state[3])};
        const Term size = where(rows >= k, one_norm(at(rest, column, k)), -1);
        const Term best =
            a.re.with(b.op("ArgMax", {size.value()}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{1}}}));
        const Term places = squeezed(where(rows == k, best, where(rows == best, k, rows)), 2);
        const Complex swapped{rows_at(op, rest.re, places), rows_at(op, rest.im, places)};
        const Complex top = at(swapped, row, k), along = at(swapped, column, k), pivot = at(along, row, k);
        const Term length = abs(pivot), safe = where(length == 0, 1, length);
        const Complex factor = along / where(length == 0, Complex{safe, safe * 0}, pivot);
        const Complex next = where(rows > k, swapped - factor * top, swapped);
        const Complex unit = pivot / where(best == k, safe, -safe);
        return {nullptr,
                {next.re.value(), next.im.value(), (phase * unit).re.value(), (phase * unit).im.value(),
                 (a.re.with(state[4]) + log(length)).value()}};
      });
  return {{a.re.with(ends[2]), a.re.with(ends[3])}, a.re.with(ends[4])};
}

Value* number_each(Op& op, Value* like, Term x) { return with_batch_of(op, like, squeezed(squeezed(x, 2), 1), 0); }

Parts numbers_each(Op& op, Value* like, const Complex& x) {
  return {number_each(op, like, x.re), number_each(op, like, x.im)};
}

Determinant determinant(Op& op) {
  const Parts a = op.parts_of(op.source(matrix_argument(op)));
  return determinant(op, {matrices(op, a.real), matrices(op, a.imaginary)});
}

Value* real_given(Op& op) { return op.parts_of(op.source(matrix_argument(op))).real; }

Outputs only_first(Op& op, std::vector<Lowered> items) {
  items.resize(op.node().output_count());
  return Outputs(std::move(items));
}

Outputs det(Op& op) {
  const Determinant d = determinant(op);
  const Parts value = numbers_each(op, real_given(op), d.phase * exp(d.size));
  return only_first(op, {{Lowered::Kind::Complex, value.real, {}, value.imaginary}});
}

Outputs slogdet(Op& op) {
  const Determinant d = determinant(op);
  const Parts sign = numbers_each(op, real_given(op), d.phase);
  return only_first(op, {{Lowered::Kind::Complex, sign.real, {}, sign.imaginary},
                         {Lowered::Kind::One, number_each(op, real_given(op), d.size), {}}});
}

Outputs logdet(Op& op) {
  const Determinant d = determinant(op);
  return numbers_each(op, real_given(op), {d.size, angle(d.phase)});
}

// aten::linalg_multi_dot, aten::chain_matmul: multiplied from left to right
Outputs multi_dot(Op& op) {
  Builder& b = op.builder();
  const std::vector<Parts> factors = op.parts_in(op.node().input(0));
  const auto product = [&](Value* x, Value* y) -> Value* { return x && y ? product_of_matrices(op, x, y) : nullptr; };
  Parts all = factors.front();
  for (std::size_t i = 1; i < factors.size(); ++i) {
    const Parts& next = factors[i];
    Value* squares = product(all.imaginary, next.imaginary);
    Value* left = product(all.real, next.imaginary);
    Value* right = product(all.imaginary, next.real);
    Value* re = product(all.real, next.real);
    all = {squares ? b.sub(re, squares) : re, left && right ? b.add(left, right) : left ? left : right};
  }
  return all;
}

constexpr Row kComplexMatrixRows[] = {
    {"aten::linalg_inv", 11, of_matrix<false>},
    {"aten::inverse", 11, of_matrix<false>},
    {"aten::linalg_inv_ex", 11, of_matrix<false>},
    {"aten::linalg_solve", 11, linalg_solve},
    {"aten::linalg_solve_ex", 11, linalg_solve},
    {"aten::_linalg_solve_ex", 11, linalg_solve},
    {"aten::cholesky", 11, of_matrix<true>},
    {"aten::linalg_cholesky", 11, of_matrix<true>},
    {"aten::linalg_cholesky_ex", 11, of_matrix<true>},
    {"aten::cholesky_inverse", 11, of_matrix<false>},
    {"aten::cholesky_solve", 11, cholesky_solve},
    {"aten::linalg_matrix_power", 11, of_matrix<false>},
    {"aten::matrix_power", 11, of_matrix<false>},
    {"aten::linalg_matrix_exp", 11, of_matrix<false>},
    {"aten::matrix_exp", 11, of_matrix<false>},
    {"aten::linalg_pinv", 11, of_matrix<false>},
    {"aten::pinverse", 11, of_matrix<false>},
    {"aten::linalg_eigvalsh", 11, values_once},
    {"aten::linalg_svdvals", 11, values_once},
    {"aten::linalg_matrix_rank", 11, matrix_rank},
    {"aten::linalg_cond", 11, cond},
    {"aten::linalg_lstsq", 11, lstsq},
    {"aten::linalg_matrix_norm", 9, rounded<matrix_norm>},
    {"aten::linalg_norm", 7, rounded<matrix_norm>},
    {"aten::linalg_det", 11, rounded<det>},
    {"aten::det", 11, rounded<det>},
    {"aten::_linalg_det", 11, rounded<det>},
    {"aten::linalg_slogdet", 11, rounded<slogdet>},
    {"aten::slogdet", 11, rounded<slogdet>},
    {"aten::_linalg_slogdet", 11, rounded<slogdet>},
    {"aten::logdet", 11, rounded<logdet>},
    {"aten::linalg_multi_dot", 7, multi_dot},
    {"aten::chain_matmul", 7, multi_dot},
};

}  // namespace

std::span<const Row> complex_matrix_rows() { return kComplexMatrixRows; }

}  // namespace tonnx::lower
