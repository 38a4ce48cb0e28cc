#include <limits>

#include "lower/families.h"
#include "lower/jacobi.h"
#include "lower/known.h"
#include "lower/loop.h"
#include "lower/sizes.h"
#include "lower/triangular.h"

// Matrix powers and exponentials, tensor equations, least squares.
namespace tonnx::lower {
namespace {

Value* square_matrices(Op& op) { return op.value_of(op.node().input(0)); }

Value* unit_like(Op& op, Value* a) {
  Builder& b = op.builder();
  const Term numbers{b, b.range(b.size_scalar(a, -1))};
  Value* unit = b.cast((numbers.with(b.unsqueeze(numbers.value(), {1})) == numbers).value(), op.dtype_of(a));
  Value* units = b.expand(unit, b.shape(a));
  units->facts().dims = a->facts().dims;
  return units;
}

Value* inverse_like(Op& op, Value* a) {
  return op->cast(with_batch_of(op, a, inverse(op, matrices(op, a))), op.dtype_of(a));
}

// Matrix power with a dynamic exponent: multiplies squares for the bits of n, the lowest first. The first factor is
// used directly, because a product with the identity would turn infinity into NaN.
Value* open_power(Op& op, Value* a, Value* n) {
  Builder& b = op.builder();
  const Term power{b, n};
  Value* base = a;
  if (ir::is_floating(op.dtype_of(a)))
    base = either(b, (power < 0).value(), [&] { return inverse_like(op, a); }, [&] { return a; });
  base->facts().dims = a->facts().dims;
  const Term left = abs(power);
  const auto iteration = [&](Value*, const Values& state) -> Pass {
    const Term result = power.with(state[0]), square = power.with(state[1]), bits = power.with(state[2]),
               begun = power.with(state[3]);
    const Term half = bits / 2;
    const Term odd = bits - half * 2 == 1;
    const Term product = power.with(b.matmul(result.value(), square.value()));
    const Term next = where(odd, where(begun, product, square), result);
    Value* squared = b.matmul(square.value(), square.value());
    return {(half > 0).value(), {next.value(), squared, half.value(), (begun || odd).value()}};
  };
  return loop(b, nullptr, (left > 0).value(),
              {unit_like(op, a), base, left.value(), b.scalar(DType::Bool, std::int64_t{0})}, iteration)
      .front();
}

// Integer matrices stay integer; floating matrices are multiplied in their own dtype.
Outputs matrix_power(Op& op) {
  Builder& b = op.builder();
  Value* a = square_matrices(op);
  if (!op.is_constant("n")) return open_power(op, a, op.scalar("n", DType::Int64));
  std::int64_t n = op.integer("n");
  Value* base = a;
  if (n < 0) {
    base = inverse_like(op, a);
    n = -n;
  }
  Value* result = nullptr;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) result = result ? b.matmul(result, base) : base;
    if (n > 1) base = b.matmul(base, base);
  }
  return result ? result : unit_like(op, a);
}

// Scaling and squaring: halves the matrix until its norm is at most one, applies the series of degree 20, and squares
// the result as often.
Outputs matrix_exp(Op& op) {
  Builder& b = op.builder();
  Value* given = square_matrices(op);
  if (op.fixed_size(given, -1) == 0) return given;
  const Term a = matrices(op, given);
  const Term sums = sum_along(abs(a), 1);
  const Term norm = a.with(b.reduce("ReduceMax", sums.value(), Dims{2}, true));
  const Term halvings = max((log(max(norm, 1)) / 0.69314718055994530942).apply("Ceil"), 0);
  const Term x = a / a.with(b.op("Pow", {a.number(2).value(), halvings.value()}));
  const Term unit = identity_like(a);
  Term sum = unit + x / 20;
  for (int k = 19; k > 0; --k) sum = unit + matmul(x, sum) / k;
  Value* none = b.constant_of_shape(b.int64s({1}), DType::Float64, 0);
  const Term most =
      a.with(b.reduce("ReduceMax", b.concat({b.flatten_to_vector(halvings.value()), none}, 0), {}, false));
  const Values ends =
      loop(b, most.cast(DType::Int64).value(), nullptr, {sum.value()}, [&](Value* pass, const Values& state) -> Pass {
        const Term y = a.with(state[0]);
        return {nullptr, {where(a.with(b.cast(pass, DType::Float64)) < halvings, matmul(y, y), y).value()}};
      });
  return with_batch_of(op, given, a.with(ends[0]));
}

// The number of elements of the axes [first, last), as a vector of one.
Value* count_of(Op& op, Value* x, std::int64_t first, std::int64_t last) {
  Value* count = op->int64(1);
  for (std::int64_t i = first; i < last; ++i) count = multiply_sizes(op.builder(), count, op->size_scalar(x, i));
  const auto known = known_integer(count);
  return known ? op->int64s({*known}) : op->reshape(count, {1});
}

// x as a square matrix with this number of rows.
Value* as_square(Op& op, Value* x, Value* rows) { return op->reshape(x, op->join_sizes({rows, rows})); }

// aten::linalg_tensorinv: the first `ind` axes are the rows
Outputs tensorinv(Op& op) {
  Value* a = square_matrices(op);
  const std::int64_t rank = op.rank_of(a), ind = op.integer("ind");
  const Term y = inverse(op, matrices(op, as_square(op, a, count_of(op, a, 0, ind))));
  return op->reshape(squeezed(y, 0).value(),
                     op->join_sizes({sizes_between(op, a, ind, rank), sizes_between(op, a, 0, ind)}));
}

Outputs tensorsolve(Op& op) {
  Builder& b = op.builder();
  Value* a = square_matrices(op);
  Value* y = op.tensor("other");
  const std::int64_t rank = op.rank_of(a);
  if (!op.is_none("dims")) {
    Dims moved = op.axes("dims", a);
    a = b.transpose(a, order_with_back(rank, moved));
  }
  const std::int64_t rows = op.rank_of(y);
  Value* square = as_square(op, a, count_of(op, y, 0, rows));
  const Term x = solve(op, matrices(op, square), Term{b, b.reshape(b.cast(y, DType::Float64), {1, -1, 1})});
  return b.reshape(x.value(), sizes_between(op, a, rows, rank));
}

// aten::linalg_lstsq: the solution of smallest norm, by singular values for every driver
Outputs lstsq(Op& op) {
  Builder& b = op.builder();
  Value* a = op.tensor("self");
  Value* y = op.tensor("b");
  const DType dtype = op.dtype_of(a);
  const std::int64_t rank = op.rank_of(a);
  const bool vector = op.rank_of(y) == rank - 1;
  Value* right = vector ? b.unsqueeze(y, {rank - 1}) : y;
  if (op.rank_of(right) != rank) op.refuse_argument("b", "must have as many batch axes as the matrices");
  const std::string driver = op.is_none("driver") ? "gelsy" : op.text("driver");
  const Term x = matrices(op, a), given = matrices(op, right);
  const Svd s = svd_of(op, x, false);
  const auto rows = op.fixed_size(a, -2), columns = op.fixed_size(a, -1);
  if (rows == 0 || columns == 0) op.refuse_argument("self", "must not be empty");
  const auto rcond = op.maybe_number("rcond");
  const Term kept = s.values > largest_value(s.values) * (rcond ? x.number(*rcond) : usual_share(x, dtype));
  const Term scales = where(kept, 1 / where(kept, s.values, 1), 0);
  const Term found = matmul(s.v * unsqueezed(scales, 1), matmul(transposed(s.u), given));
  Value* solution = b.cast(with_batch_of(op, right, found), dtype);

  Value* none = b.constant(ir::Tensor::from_bytes(dtype, {0}, nullptr, 0));
  Value* residuals = none;
  const auto left_out = [&](const std::string& reason) {
    if (!op.node().output(1)->is_unused()) op.refuse("whether it returns residuals depends on " + reason);
    return nullptr;
  };
  if (driver != "gelsy" && !(rows && columns)) {
    residuals = left_out("its sizes, which must be fixed; use the driver gelsy");
  } else if (driver != "gelsy" && *rows > *columns && driver != "gels") {
    residuals = left_out("the rank of the matrix; use the driver gels");
  } else if (driver != "gelsy" && *rows > *columns) {
    const Term miss = matmul(x, found) - given;
    Value* sums = with_batch_of(op, right, squeezed(sum_along(miss * miss, 1), 1), 1);
    residuals = b.cast(vector ? b.squeeze(sums, {op.rank_of(sums) - 1}) : sums, dtype);
  }
  const bool by_values = driver == "gelsd" || driver == "gelss";
  Value* ranks = b.int64s({});
  if (driver != "gels") {
    const Term counted = kept.cast(DType::Int64);
    ranks = with_batch_of(op, a, counted.with(b.reduce("ReduceSum", counted.value(), Dims{1}, false)), 0);
  }
  return {vector ? b.squeeze(solution, {rank - 1}) : solution, residuals, ranks,
          by_values ? b.cast(with_batch_of(op, a, s.values, 1), dtype) : none};
}

constexpr Row kMatrixFunctionRows[] = {
    {"aten::linalg_matrix_power", 11, rounded<matrix_power>},
    {"aten::matrix_power", 11, rounded<matrix_power>},
    {"aten::linalg_matrix_exp", 11, rounded<matrix_exp>},
    {"aten::matrix_exp", 11, rounded<matrix_exp>},
    {"aten::linalg_tensorinv", 11, rounded<tensorinv>},
    {"aten::linalg_tensorsolve", 11, rounded<tensorsolve>},
    {"aten::linalg_lstsq", 11, rounded<lstsq>},
};

}  // namespace

std::span<const Row> matrix_function_rows() { return kMatrixFunctionRows; }

}  // namespace tonnx::lower
