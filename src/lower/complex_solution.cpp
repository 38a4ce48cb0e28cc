#include "lower/complex.h"
#include "lower/complex_matrix.h"
#include "lower/families.h"
#include "lower/part_call.h"
#include "lower/triangular.h"

// Other systems of complex equations, solved with the real block matrices (complex_matrix.h).
namespace tonnx::lower {
namespace {

// Solves a x = y for real matrices (..., n, n) and (..., n, k), whose batch axes broadcast.
Value* solution(Op& op, Value* a, Value* y) {
  Builder& b = op.builder();
  const std::int64_t rank = std::max(op.rank_of(a), op.rank_of(y));
  if (rank == 2) return squeezed(solve(op, matrices(op, a), matrices(op, y)), 0).value();
  const auto leading = [&](Value* x) {
    Dims axes;
    for (std::int64_t i = op.rank_of(x); i < rank; ++i) axes.push_back(i - op.rank_of(x));
    return axes.empty() ? x : b.unsqueeze(x, axes);
  };
  a = leading(a);
  y = leading(y);
  const auto batch_of = [&](Value* x) { return b.slice(b.shape(x), 0, 0, rank - 2); };
  Value* batch = b.op("Max", {batch_of(a), batch_of(y)});
  const auto whole = [&](Value* x) {
    return b.expand(x, b.join_sizes({batch, b.slice(b.shape(x), 0, rank - 2, INT64_MAX)}));
  };
  y = whole(y);
  return with_batch_of(op, y, solve(op, matrices(op, whole(a)), matrices(op, y)));
}

// The triangle of the matrix that the operator reads.
Parts triangle(Op& op, const Parts& p, bool upper, bool unit) {
  Builder& b = op.builder();
  const Term rows{b, b.unsqueeze(b.range(b.size_scalar(p.real, -2)), {1})};
  const Term columns{b, b.range(b.size_scalar(p.real, -1))};
  const Term is_read = unit ? (upper ? columns > rows : columns < rows) : (upper ? columns >= rows : columns <= rows);
  const auto read = [&](Value* x) { return where(is_read, Term{b, x}, 0).value(); };
  Parts y{read(p.real), p.imaginary ? read(p.imaginary) : nullptr};
  if (unit) y.real = b.where((rows == columns).value(), b.scalar_like(y.real, 1), y.real);
  return y;
}

Parts turned(Op& op, const Parts& p) {
  const auto turn = [&](Value* x) { return op->swap_axes(x, op.rank_of(x) - 2, op.rank_of(x) - 1); };
  return {turn(p.real), p.imaginary ? turn(p.imaginary) : nullptr};
}

Parts parts_in_double(Op& op, std::string_view argument) {
  return parts_operand(op, op.source(argument), DType::Float64);
}

Parts solved(Op& op, const Parts& a, const Parts& y) {
  return read_back(op, solution(op, standing_for(op, a), standing_for(op, y)));
}

// aten::linalg_solve_triangular: from the left or from the right
Outputs linalg_solve_triangular(Op& op) {
  const Parts a = triangle(op, parts_in_double(op, "self"), op.flag("upper"), op.flag("unitriangular"));
  const Parts y = parts_in_double(op, "B");
  if (op.flag("left")) return solved(op, a, y);
  return turned(op, solved(op, turned(op, a), turned(op, y)));
}

// aten::triangular_solve: the solution, and the matrix
Outputs triangular_solve(Op& op) {
  const Parts given = parts_in_double(op, "A");
  const Parts a = triangle(op, given, op.flag("upper"), op.flag("unitriangular"));
  const Parts x = solved(op, op.flag("transpose") ? turned(op, a) : a, parts_in_double(op, "self"));
  Value* im = given.imaginary ? given.imaginary : op->constant_of_shape(op->shape(given.real), DType::Float64, 0);
  return Outputs(std::vector<Lowered>{{Lowered::Kind::Complex, x.real, {}, x.imaginary},
                                      {Lowered::Kind::Complex, given.real, {}, im}});
}

std::int64_t product_of(const Dims& sizes) {
  std::int64_t n = 1;
  for (const std::int64_t size : sizes) n *= size;
  return n;
}

Dims sizes_of(Op& op, Value* x) {
  const auto dims = x->facts().fixed_dims();
  if (!dims) op.refuse("its sizes must be fixed for every run");
  return *dims;
}

Parts reshaped(Op& op, const Parts& p, const Dims& shape) {
  return {op->reshape(p.real, shape), p.imaginary ? op->reshape(p.imaginary, shape) : nullptr};
}

// aten::linalg_tensorinv: the inverse of the matrix whose rows are the first `ind` axes
Outputs tensorinv(Op& op) {
  const Parts a = parts_in_double(op, "self");
  const Dims sizes = sizes_of(op, a.real);
  const auto middle = sizes.begin() + op.integer("ind");
  Dims shape(middle, sizes.end());
  const std::int64_t n = product_of(shape);
  shape.insert(shape.end(), sizes.begin(), middle);
  const Parts matrix = reshaped(op, a, {n, n});
  const Term inverted = inverse(op, matrices(op, standing_for(op, matrix)));
  return reshaped(op, read_back(op, squeezed(inverted, 0).value()), shape);
}

// aten::linalg_tensorsolve: y has the shape of the first axes of self
Outputs tensorsolve(Op& op) {
  Parts a = parts_in_double(op, "self");
  const Parts y = parts_in_double(op, "other");
  if (!op.is_none("dims")) {
    const Dims order = order_with_back(op.rank_of(a.real), op.axes("dims", a.real));
    a = {op->transpose(a.real, order), a.imaginary ? op->transpose(a.imaginary, order) : nullptr};
  }
  const Dims sizes = sizes_of(op, a.real), known = sizes_of(op, y.real);
  const std::int64_t n = product_of(known);
  const Parts x = solved(op, reshaped(op, a, {n, n}), reshaped(op, y, {n, 1}));
  return reshaped(op, x, Dims(sizes.begin() + static_cast<std::ptrdiff_t>(known.size()), sizes.end()));
}

constexpr Row kComplexSolutionRows[] = {
    {"aten::linalg_solve_triangular", 11, rounded<linalg_solve_triangular>},
    {"aten::triangular_solve", 11, rounded<triangular_solve>},
    {"aten::linalg_tensorinv", 11, rounded<tensorinv>},
    {"aten::linalg_tensorsolve", 11, rounded<tensorsolve>},
};

}  // namespace

std::span<const Row> complex_solution_rows() { return kComplexSolutionRows; }

}  // namespace tonnx::lower
