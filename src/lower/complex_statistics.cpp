#include <cmath>
#include <limits>

#include "lower/complex.h"
#include "lower/families.h"
#include "lower/loop.h"
#include "lower/loss.h"
#include "lower/part_call.h"
#include "lower/reduce.h"

// Statistics, distances, normalisations and random numbers of complex tensors.
namespace tonnx::lower {
namespace {

Value* one(const Outputs& outputs) { return outputs.items.at(0).one; }

Complex given(Op& op, std::string_view argument) { return complex_operand(op, argument, DType::Float64); }

// aten::cov: takes the real and imaginary parts as separate variables; the four blocks of that real covariance form the
// result.
Complex covariance(Op& op) {
  Builder& b = op.builder();
  Parts x = op.parts_of(op.source("self"));
  if (op.rank_of(x.real) < 2) x = {b.reshape(x.real, {1, -1}), b.reshape(x.imaginary, {1, -1})};
  const Term all{b, one(call_with(op, {{"self", Part::Given, b.concat({x.real, x.imaginary}, 0)}}))};
  Value* count = b.size(x.real, 0);
  Value* blocks =
      b.reshape(all.cast(DType::Float64).value(), b.join_sizes({b.int64s({2}), count, b.int64s({2}), count}));
  const auto block = [&](std::int64_t row, std::int64_t column) {
    return all.with(b.gather(b.gather(blocks, b.int64(row), 0), b.int64(column), 1));
  };
  return {block(0, 0) + block(1, 1), block(1, 0) - block(0, 1)};
}

// One variable yields a scalar, even if the number of variables is dynamic.
Outputs shaped(Op& op, const Complex& y) {
  Value* self = op.parts_of(op.source("self")).real;
  const auto variables = op.rank_of(self) < 2 ? 1 : op.fixed_size(self, 0);
  if (!variables) return Parts{op->op("Squeeze", {y.re.value()}), op->op("Squeeze", {y.im.value()})};
  if (*variables != 1) return outputs(y);
  return Parts{op->reshape(y.re.value(), Dims{}), op->reshape(y.im.value(), Dims{})};
}

Outputs complex_cov(Op& op) { return shaped(op, covariance(op)); }

// aten::corrcoef: each part is clamped to [-1, 1] if there are several variables
Outputs complex_corrcoef(Op& op) {
  Builder& b = op.builder();
  Complex x = given(op, "self");
  if (op.rank_of(x.re.value()) < 2)
    x = {x.re.with(b.reshape(x.re.value(), {1, -1})), x.im.with(b.reshape(x.im.value(), {1, -1}))};
  const auto centred = [&](Term part) { return part - part.with(b.reduce("ReduceMean", part.value(), Dims{1}, true)); };
  const auto times = [&](Term p, Term q) { return p.with(b.matmul(p.value(), b.transpose(q.value(), {1, 0}))); };
  const Term re = centred(x.re), im = centred(x.im);
  const Term squares = re * re + im * im;
  const Term length = sqrt(squares.with(b.reduce("ReduceSum", squares.value(), Dims{1}, true)));
  const Term scale = times(length, length);
  const Complex ratio{(times(re, re) + times(im, im)) / scale, (times(im, re) - times(re, im)) / scale};
  if (op.rank_of(op.parts_of(op.source("self")).real) < 2 || op.fixed_size(x.re.value(), 0) == 1)
    return shaped(op, ratio);
  return shaped(op, {min(max(ratio.re, -1), 1), min(max(ratio.im, -1), 1)});
}

// The p-norm of x - y + eps along the last axis.
Term distance(Op& op, std::string_view x, std::string_view y, bool keep) {
  const Term size = abs(given(op, x) - given(op, y) + op.number("eps"));
  return size.with(distance_along_last(op, size.value(), op.number("p"), 0, keep));
}

Outputs pairwise_distance(Op& op) { return distance(op, "x1", "x2", op.flag("keepdim")).value(); }

Outputs triplet_margin_loss(Op& op) {
  Term far = distance(op, "anchor", "negative", false);
  if (op.flag("swap")) far = min(far, distance(op, "positive", "negative", false));
  return reduced_loss(op, relu(distance(op, "anchor", "positive", false) - far + op.number("margin")).value());
}

// aten::renorm: scales the slices by the factors of their magnitudes.
Outputs renorm(Op& op) {
  const Complex x = given(op, "self");
  const Term size = abs(x);
  const Term scaled{op.builder(), one(call_with(op, {{"self", Part::Given, size.value()}}))};
  const Term is_zero = size == 0;
  return outputs(x * where(is_zero, 1, scaled.cast(DType::Float64) / where(is_zero, 1, size)));
}

// aten::rms_norm: LibTorch divides by the root of the mean of the complex squares.
Outputs rms_norm(Op& op) {
  Builder& b = op.builder();
  const Complex x = given(op, "input");
  const Complex square = x * x;
  Dims axes;
  for (auto i = static_cast<std::int64_t>(op.integers("normalized_shape").size()); i > 0; --i)
    axes.push_back(op.rank_of(x.re.value()) - i);
  const auto mean = [&](Term part) { return part.with(b.reduce("ReduceMean", part.value(), axes, true)); };
  const bool is_double = Op::dtype_of(op.parts_of(op.source("input")).real) == DType::Float64;
  const double least = is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  const Complex y =
      x * reciprocal(sqrt(Complex{mean(square.re), mean(square.im)} + op.maybe_number("eps").value_or(least)));
  return outputs(op.is_none("weight") ? y : y * given(op, "weight"));
}

// log(exp(x) + exp(y)): the operand with the larger real part, plus the logarithm of one plus the ratio of the
// exponentials. If both exponentials are 0, the first operand.
Complex log_of_both(const Complex& x, const Complex& y) {
  const Term first = x.re >= y.re;
  const Complex larger{where(first, x.re, y.re), where(first, x.im, y.im)};
  const Complex smaller{where(first, y.re, x.re), where(first, y.im, x.im)};
  const Complex found = log(exp(smaller - larger) + 1) + larger;
  const double lowest = -kInfinity;
  const Term nothing = x.re == lowest && y.re == lowest;
  return {where(nothing, x.re, found.re), where(nothing, x.im, found.im)};
}

Outputs logaddexp(Op& op) { return outputs(log_of_both(given(op, "self"), given(op, "other"))); }

// aten::logcumsumexp: sequential, as in LibTorch, because angles may add up to more than 2 pi
Outputs logcumsumexp(Op& op) {
  Builder& b = op.builder();
  const Complex x = given(op, "self");
  const std::int64_t rank = op.rank_of(x.re.value()), axis = op.axis("dim", x.re.value());
  if (rank == 0) return outputs(x);
  Values sizes;
  for (std::int64_t i = 0; i < rank; ++i)
    if (i != axis) sizes.push_back(b.size(x.re.value(), i));
  Value* across = sizes.empty() ? b.int64s({}) : b.join_sizes(sizes);
  const Term none = x.re.with(b.expand(x.re.number(-kInfinity).value(), across));
  const Term zeros = x.re.with(b.expand(x.re.number(0).value(), across));
  const auto pass = [&](Value* i, const Values& state) {
    const Complex next =
        log_of_both({x.re.with(b.gather(x.re.value(), i, axis)), x.im.with(b.gather(x.im.value(), i, axis))},
                    {x.re.with(state[0]), x.im.with(state[1])});
    return Pass{nullptr, {next.re.value(), next.im.value()}, {next.re.value(), next.im.value()}};
  };
  const Values ends = loop(b, b.size_scalar(x.re.value(), axis), nullptr, {none.value(), zeros.value()}, pass);
  Dims order;
  for (std::int64_t i = 1; i < rank; ++i) order.push_back(i);
  order.insert(order.begin() + axis, 0);
  return Parts{b.transpose(ends[2], order), b.transpose(ends[3], order)};
}

// aten::linalg_vander: the powers of x along a new last axis
Outputs vander(Op& op) {
  Builder& b = op.builder();
  Complex x = given(op, "x");
  x = {x.re.with(at_least_vector(op, x.re.value())), x.im.with(at_least_vector(op, x.im.value()))};
  const std::int64_t last = op.rank_of(x.re.value()) - 1;
  const auto size = op.is_none("N") ? op.fixed_size(x.re.value(), last) : op.integer("N");
  if (!size) op.refuse_argument("N", "is required if the size of the last axis is dynamic");
  const std::int64_t count = *size;
  const auto filled = [&](double number) {
    return x.re.with(b.expand(b.scalar_like(x.re.value(), number), b.shape(x.re.value())));
  };
  Complex power{filled(1), filled(0)};
  Values re, im;
  for (std::int64_t i = 0; i < count; ++i) {
    re.push_back(b.unsqueeze(power.re.value(), {last + 1}));
    im.push_back(b.unsqueeze(power.im.value(), {last + 1}));
    power = i == 0 ? x : power * x;
  }
  return Parts{b.concat(re, op.rank_of(re.front()) - 1), b.concat(im, op.rank_of(im.front()) - 1)};
}

// aten::softmax with a real dtype: LibTorch casts the input to it
Outputs of_real_part(Op& op) {
  if (ir::is_complex(op.result_dtype())) op.refuse("it is not supported for complex tensors");
  return call_with(op, {{"self", Part::Real}});
}

// Each part is drawn separately.
Outputs uniform(Op& op) {
  return Parts{one(call_with(op, {{"self", Part::Real}})), one(call_with(op, {{"self", Part::Real}}))};
}

// Each part has half of the variance; the mean is real.
Outputs normal(Op& op) {
  const double root = std::sqrt(0.5);
  const auto draw = [&] { return Term{op.builder(), one(call_with(op, {{"self", Part::Real}}))}; };
  const double mean = op.has("mean") ? op.number("mean") : 0;
  return outputs({(draw() - mean) * root + mean, (draw() - mean) * root});
}

constexpr Row kComplexStatisticsRows[] = {
    {"aten::cov", 10, rounded<complex_cov>},
    {"aten::corrcoef", 10, rounded<complex_corrcoef>},
    {"aten::pairwise_distance", 9, rounded<pairwise_distance>},
    {"aten::triplet_margin_loss", 9, rounded<triplet_margin_loss>},
    {"aten::renorm", 9, rounded<renorm>},
    {"aten::rms_norm", 9, rounded<rms_norm>},
    {"aten::logaddexp", 9, rounded<logaddexp>},
    {"aten::logcumsumexp", 9, rounded<logcumsumexp>},
    {"aten::linalg_vander", 9, rounded<vander>},
    {"aten::softmax", 7, of_real_part},
    {"aten::log_softmax", 7, of_real_part},
    {"aten::randn", 7, normal},
    {"aten::randn_like", 7, normal},
    {"aten::normal_functional", 7, normal},
    {"aten::uniform", 7, uniform},
};

}  // namespace

std::span<const Row> complex_statistics_rows() { return kComplexStatisticsRows; }

}  // namespace tonnx::lower
