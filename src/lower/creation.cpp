#include <cmath>
#include <numbers>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/known.h"
#include "lower/random_numbers.h"

namespace tonnx::lower {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
constexpr double kExactInFloat32 = 16777216.0;         // 2^24

// A tensor filled with one value. The shape may be dynamic.
Value* filled(Op& op, Value* shape, DType dtype, const ir::Value* source) {
  Builder& b = op.builder();
  const ir::Constant* known = source->constant();
  if (known && known->is_number() && std::fabs(known->as_double()) < kExactIntegers)
    return b.constant_of_shape(shape, dtype, known->as_double());
  return b.expand(op.scalar_of(source, dtype), shape);
}

// The shape argument "size" of a factory, or the shape of "self" for the _like ones.
Value* shape_of(Op& op) { return op.has("size") ? op.int_vector("size") : op->shape(op.tensor("self")); }

// Zeros of the shape of x, for opsets without ConstantOfShape and Expand: c and not c is false everywhere.
Value* zeros_by_logic(Builder& b, Value* x, DType dtype) {
  Value* truth = b.cast(x, DType::Bool);
  return b.cast(b.op("And", {truth, b.op("Not", {truth})}), dtype);
}

// A tensor of the shape of x, filled with one scalar.
Value* filled_like(Op& op, Value* x, DType dtype, const ir::Value* source) {
  if (op.opset() >= 8 || x->facts().fixed_dims()) return filled(op, op->shape(x), dtype, source);
  if (dtype == DType::Bool) {
    Value* zeros = zeros_by_logic(op.builder(), x, dtype);
    return op->op("Or", {zeros, op.scalar_of(source, dtype)});
  }
  return op->add(zeros_by_logic(op.builder(), x, dtype), op.scalar_of(source, dtype));
}

template <int Fill>
Outputs constant_fill(Op& op) {
  const DType dtype = op.result_dtype();
  if (op.opset() < 8 && !op.has("size")) {
    Value* x = op.tensor("self");
    if (!x->facts().fixed_dims()) {
      Value* zeros = zeros_by_logic(op.builder(), x, DType::Bool);
      return op->cast(Fill == 0 ? zeros : op->op("Not", {zeros}), dtype);
    }
  }
  return op->constant_of_shape(shape_of(op), dtype, Fill);
}

Outputs full(Op& op) {
  if (!op.has("size")) return filled_like(op, op.tensor("self"), op.result_dtype(), op.source("fill_value"));
  return filled(op, shape_of(op), op.result_dtype(), op.source("fill_value"));
}

// aten::fill, zero: self provides only shape and dtype
Outputs fill(Op& op) {
  if (!op.has("value")) return constant_fill<0>(op);
  return filled_like(op, op.tensor("self"), op.result_dtype(), op.source("value"));
}

bool is_integral_number(const ir::Value* v) {
  const ir::Constant* c = v->constant();
  if (c && c->get<double>())
    return std::floor(c->as_double()) == c->as_double() && std::fabs(c->as_double()) < kExactIntegers;
  return ir::is_integral(v->facts().dtype) || v->facts().dtype == DType::Bool;
}

// ceil((end - start) / step) as a rank-0 int64
Value* count_of_steps(Builder& b, Value* start, Value* end, Value* step) {
  const auto first = known_number(start), last = known_number(end), by = known_number(step);
  if (first && last && by) return b.int64(static_cast<std::int64_t>(std::ceil((*last - *first) / *by)));
  Value* steps = b.op(
      "Ceil", {b.div(b.sub(b.cast(end, DType::Float64), b.cast(start, DType::Float64)), b.cast(step, DType::Float64))});
  return b.cast(steps, DType::Int64);
}

// Range for int64. For Defect::RangeFusion, a range that may contain negative numbers, or descend, is built as the
// negative of its mirror image, which is not fused.
Value* whole_range(Builder& b, Value* start, Value* end, Value* step) {
  const auto first = known_number(start), last = known_number(end), by = known_number(step);
  const bool is_rising = first && *first >= 0 && by && *by > 0 && (!last || *last >= 0);
  if (is_rising || !b.avoids(ir::Defect::RangeFusion)) return b.op("Range", {start, end, step});
  const auto mirrored = [&](Value* number) { return b.op("Neg", {number}); };
  return mirrored(b.op("Range", {mirrored(start), mirrored(end), mirrored(step)}));
}

// aten::arange: start + i * step. Computed in int64 if the scalars or the result are integers, else in float64. For an
// integer result the scalars are truncated; only int64 also truncates them to count the steps.
Outputs arange(Op& op) {
  Builder& b = op.builder();
  const DType dtype = op.result_dtype();
  const ir::Value* first = op.has("start") ? op.source("start") : nullptr;
  const ir::Value* last = op.source("end");
  const ir::Value* by = op.has("step") ? op.source("step") : nullptr;
  const bool whole =
      (!first || is_integral_number(first)) && is_integral_number(last) && (!by || is_integral_number(by));
  const DType counted = whole || dtype == DType::Int64 ? DType::Int64 : DType::Float64;
  const DType precise = ir::is_integral(dtype) ? DType::Int64 : counted;
  const auto number = [&](const ir::Value* source, std::int64_t otherwise, DType as) {
    return source ? op.scalar_of(source, as) : b.scalar(as, otherwise);
  };
  Value* start = number(first, 0, counted);
  Value* end = number(last, 0, counted);
  Value* step = number(by, 1, counted);
  if (counted == DType::Int64 && op.opset() >= 11) return b.cast(whole_range(b, start, end, step), dtype);
  Value* count = first || by || counted != DType::Int64 ? count_of_steps(b, start, end, step) : end;
  Value* values = b.cast(b.range(count), precise);
  if (by) values = b.mul(values, number(by, 1, precise));
  if (first) values = b.add(values, number(first, 0, precise));
  return b.cast(values, dtype);
}

// aten::linspace: computed from both ends to the middle, as in LibTorch
Outputs linspace(Op& op) {
  Builder& b = op.builder();
  const DType dtype = op.result_dtype();
  const auto start = op.is_constant("start") ? std::optional(op.number("start")) : std::nullopt;
  const auto end = op.is_constant("end") ? std::optional(op.number("end")) : std::nullopt;
  if (start && end && op.is_constant("steps")) {
    const std::int64_t steps = op.integer("steps");
    std::vector<std::byte> bytes(static_cast<std::size_t>(steps) * ir::size_of(dtype));
    const bool single = dtype == DType::Float32;
    for (std::int64_t i = 0; i < steps; ++i) {
      double value = *start;
      if (single && steps > 1) {
        const float by = (static_cast<float>(*end) - static_cast<float>(*start)) / static_cast<float>(steps - 1);
        value = i < steps / 2 ? static_cast<float>(*start) + by * static_cast<float>(i)
                              : static_cast<float>(*end) - by * static_cast<float>(steps - i - 1);
      } else if (steps > 1) {
        const double by = (*end - *start) / static_cast<double>(steps - 1);
        value = i < steps / 2 ? *start + by * static_cast<double>(i) : *end - by * static_cast<double>(steps - i - 1);
      }
      ir::store(dtype, ir::is_floating(dtype) ? value : std::trunc(value),
                bytes.data() + static_cast<std::size_t>(i) * ir::size_of(dtype));
    }
    return b.constant(ir::Tensor::from_bytes(dtype, {steps}, bytes.data(), bytes.size()));
  }
  const DType precise = dtype == DType::Float32 ? DType::Float32 : DType::Float64;
  Value* first = op.scalar("start", precise);
  Value* last = op.scalar("end", precise);
  Value* steps = op.scalar("steps", DType::Int64);
  Value* gaps = maximum(b, b.cast(b.sub(steps, b.int64(1)), precise), b.scalar(precise, std::int64_t{1}));
  Value* by = b.div(b.sub(last, first), gaps);
  Value* index = b.range(steps);
  Value* from_start = b.add(first, b.mul(by, b.cast(index, precise)));
  Value* backwards = b.sub(b.sub(steps, b.int64(1)), index);
  Value* from_end = b.sub(last, b.mul(by, b.cast(backwards, precise)));
  Value* is_first_half =
      less(b, index, maximum(b, b.div(steps, b.int64(2)), b.cast(equal(b, steps, b.int64(1)), DType::Int64)));
  return b.cast(b.where(is_first_half, from_start, from_end), dtype);
}

// aten::logspace: the base to the power of linspace.
Outputs logspace(Op& op) {
  Builder& b = op.builder();
  Value* exponents = in_full_precision(b, linspace(op).items.front().one);
  if (!ir::is_floating(op.dtype_of(exponents))) op.refuse("an integer dtype is not supported; use the dtype float32");
  return b.cast(b.op("Pow", {b.scalar_like(exponents, op.number("base")), exponents}), op.result_dtype());
}

// Row indices 0..n-1 as a column, and column indices 0..m-1.
struct Grid {
  Value* rows;
  Value* columns;
};

Grid grid(Builder& b, Value* rows, Value* columns) { return {b.unsqueeze(b.range(rows), {1}), b.range(columns)}; }

Outputs eye(Op& op) {
  Builder& b = op.builder();
  Value* rows = op.scalar("n", DType::Int64);
  Value* columns = op.has("m") ? op.scalar("m", DType::Int64) : rows;
  const Grid g = grid(b, rows, columns);
  return b.cast(equal(b, g.rows, g.columns), op.result_dtype());
}

// aten::tril, aten::triu: Trilu from opset 14 on, below a mask of index comparisons
template <bool Upper>
Outputs triangle(Op& op) {
  Builder& b = op.builder();
  Value* x = op.tensor("self");
  Value* diagonal = op.scalar("diagonal", DType::Int64);
  if (op.opset() >= 14) return b.op("Trilu", {x, diagonal}, {{"upper", std::int64_t{Upper}}});
  const Grid g = grid(b, b.size_scalar(x, -2), b.size_scalar(x, -1));
  Value* offset = b.sub(g.columns, g.rows);
  Value* kept = Upper ? b.op("Not", {less(b, offset, diagonal)}) : b.op("Not", {less(b, diagonal, offset)});
  if (x->facts().dtype == DType::Bool) return b.op("And", {x, kept});
  return b.where(kept, x, b.scalar_like(x, 0));
}

// aten::tril_indices, triu_indices
template <bool Upper>
Outputs triangle_indices(Op& op) {
  if (!op.is_constant("row") || !op.is_constant("col") || !op.is_constant("offset")) {
    Builder& b = op.builder();
    const Grid g = grid(b, op.scalar("row", DType::Int64), op.scalar("col", DType::Int64));
    Value* distance = b.sub(g.columns, g.rows);
    Value* offset = op.scalar("offset", DType::Int64);
    Value* outside = Upper ? less(b, distance, offset) : less(b, offset, distance);
    return b.cast(b.op("NonZero", {b.op("Not", {outside})}), op.result_dtype());
  }
  const std::int64_t rows = op.integer("row"), columns = op.integer("col"), offset = op.integer("offset");
  Dims pairs[2];
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (Upper ? j - i < offset : j - i > offset) continue;
      pairs[0].push_back(i);
      pairs[1].push_back(j);
    }
  }
  const auto count = static_cast<std::int64_t>(pairs[0].size());
  pairs[0].insert(pairs[0].end(), pairs[1].begin(), pairs[1].end());
  ir::Tensor tensor = ir::Tensor::of_int64(pairs[0]);
  tensor.dims = {2, count};
  tensor.strides = {count, 1};
  return op->cast(op->constant(tensor), op.result_dtype());
}

Value* uniform(Op& op, Value* shape, double low, double high) {
  return uniform_numbers(op.builder(), shape, DType::Float32, low, high);
}

Value* standard_normal(Op& op, Value* shape) { return normal_numbers(op.builder(), shape, DType::Float32); }

// aten::rand. In half precision, draws multiples of its step below 1: rounding a float32 could return 1.
Outputs rand(Op& op) {
  Value* drawn = uniform(op, shape_of(op), 0, 1);
  const DType dtype = op.result_dtype();
  if (dtype == DType::Float16 || dtype == DType::BFloat16) {
    Value* steps = op->scalar_like(drawn, dtype == DType::Float16 ? 2048.0 : 256.0);
    drawn = op->op("Div", {op->op("Floor", {op->mul(drawn, steps)}), steps});
  }
  return op->cast(drawn, dtype);
}
Outputs randn(Op& op) { return op->cast(standard_normal(op, shape_of(op)), op.result_dtype()); }

// Random integers in [0, end), in a float dtype. Integers that float32 cannot represent are drawn in float64 as
// fractions of 1, because RandomUniform has float32 bounds.
Value* steps_below(Op& op, std::int64_t end) {
  if (end < kExactInFloat32)
    return op->op("Floor", {uniform_numbers(op.builder(), shape_of(op), DType::Float32, 0, static_cast<double>(end))});
  Value* part = uniform_numbers(op.builder(), shape_of(op), DType::Float64);
  return op->op("Floor", {op->mul(part, op->scalar_like(part, static_cast<double>(end)))});
}

// Random integers in [low, high).
Outputs integers_between(Op& op, std::int64_t low, std::int64_t high) {
  const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (range > static_cast<std::uint64_t>(kExactIntegers))
    op.refuse("a range of more than 2^53 integers has no ONNX form");
  Value* steps = steps_below(op, static_cast<std::int64_t>(range));
  if (low == 0) return op->cast(steps, op.result_dtype());
  return op->cast(op->add(op->cast(steps, DType::Int64), op->int64(low)), op.result_dtype());
}

Outputs randint(Op& op) { return integers_between(op, op.has("low") ? op.integer("low") : 0, op.integer("high")); }

// The exclusive upper limit of a draw of this dtype without a bound; nullopt for 64-bit integers.
std::optional<std::int64_t> end_of_numbers(DType dtype) {
  switch (dtype) {
    case DType::Bool: return 2;
    case DType::UInt8: return std::int64_t{1} << 8;
    case DType::Int8: return std::int64_t{1} << 7;
    case DType::Int16: return std::int64_t{1} << 15;
    case DType::Int32: return std::int64_t{1} << 31;
    case DType::BFloat16: return (std::int64_t{1} << 8) + 1;
    case DType::Float16: return (std::int64_t{1} << 11) + 1;
    case DType::Float32: return (std::int64_t{1} << 24) + 1;
    case DType::Float64: return std::int64_t{1} << 53;
    default: return std::nullopt;
  }
}

// Non-negative int64: a draw of 31 bits, followed by one of 32 bits.
Value* numbers_of_63_bits(Op& op) {
  const auto bits = [&](int count) { return op->cast(steps_below(op, std::int64_t{1} << count), DType::Int64); };
  return op->add(op->mul(bits(31), op->int64(std::int64_t{1} << 32)), bits(32));
}

// aten::random: in the shape and dtype of self
Outputs random_whole(Op& op) {
  const std::int64_t low = op.has("from") ? op.integer("from") : 0;
  if (op.has("to") && !op.is_none("to")) return integers_between(op, low, op.integer("to"));
  const auto end = end_of_numbers(op.result_dtype());
  if (!end && low == 0 && op.result_dtype() == DType::Int64) return numbers_of_63_bits(op);
  if (!end) op.refuse("64-bit random integers without an upper bound have no ONNX form; pass a bound to random_()");
  return integers_between(op, low, *end);
}

// aten::randperm: the sort order of random numbers.
Outputs randperm(Op& op) {
  Value* count = op->reshape(op.scalar("n", DType::Int64), {1});
  const Values ordered = op->op("TopK", {uniform(op, count, 0, 1), count}, {{"axis", std::int64_t{0}}}, 2);
  return op->cast(ordered[1], op.result_dtype());
}

// aten::normal: mean and std are scalars or tensors
Outputs normal(Op& op) {
  const DType dtype = op.result_dtype();
  Value* mean = operand(op, "mean", dtype);
  Value* deviation = operand(op, "std", dtype);
  Value* shape = nullptr;
  if (op.has("size")) {
    shape = op.int_vector("size");
  } else {
    Value* sum = op->add(mean, deviation);
    shape = op->shape(sum);
  }
  Value* noise = op->cast(standard_normal(op, shape), dtype);
  return op->add(op->mul(noise, deviation), mean);
}

// aten::normal_functional: self provides only the shape
Outputs normal_like(Op& op) {
  const DType dtype = op.result_dtype();
  Value* noise = op->cast(standard_normal(op, op->shape(op.tensor("self"))), dtype);
  return op->add(op->mul(noise, operand(op, "std", dtype)), operand(op, "mean", dtype));
}

// aten::uniform: self provides only the shape
Outputs uniform_like(Op& op) {
  return op->cast(uniform(op, op->shape(op.tensor("self")), op.number("from"), op.number("to")), op.result_dtype());
}

// aten::bernoulli: 1 where a uniform number is below the probability, which is self, a scalar or a tensor.
Outputs bernoulli(Op& op) {
  Value* self = op.tensor("self");
  const DType dtype = op.result_dtype();
  Value* probability = op.has("p") ? operand(op, "p", DType::Float32) : op->cast(self, DType::Float32);
  return op->cast(less(op.builder(), uniform(op, op->shape(self), 0, 1), probability), dtype);
}

// aten::_dim_arange: the indices along an axis of a tensor
Outputs dim_arange(Op& op) {
  return op->cast(op->range(op->size_scalar(op.tensor("like"), op.integer("dim"))), op.result_dtype());
}

// aten::multinomial. Without replacement: the top k of the log probabilities plus Gumbel noise.
Outputs multinomial(Op& op) {
  Builder& b = op.builder();
  if (!ir::is_floating(op.dtype_of(op.tensor("self")))) op.refuse_argument("self", "must have a floating dtype");
  Value* weights = b.cast(op.tensor("self"), DType::Float32);
  const std::int64_t rank = op.rank_of(weights), samples = op.integer("num_samples");
  if (samples < 1) op.refuse_argument("num_samples", "must be positive, not " + std::to_string(samples));
  if (rank == 1) weights = b.unsqueeze(weights, {0});
  Value* chosen = nullptr;
  if (op.flag("replacement") || samples == 1) {
    chosen = drawn_positions(b, weights, samples);
  } else {
    if (op.opset() < 10) op.needs_opset(10, "sampling without replacement");
    Value* noise = uniform(op, b.shape(weights), 0, 1);
    Value* gumbel = b.op("Neg", {b.op("Log", {b.op("Neg", {b.op("Log", {noise})})})});
    chosen =
        b.op("TopK", {b.add(b.op("Log", {weights}), gumbel), b.int64s({samples})}, {{"axis", std::int64_t{-1}}}, 2)[1];
  }
  return rank == 1 ? b.squeeze(chosen, {0}) : chosen;
}

constexpr Row kCreationRows[] = {
    {"aten::_dim_arange", 7, dim_arange},
    {"aten::multinomial", 7, multinomial},
    {"aten::zeros", 7, constant_fill<0>},
    {"aten::zeros_like", 7, constant_fill<0>},
    {"aten::new_zeros", 7, constant_fill<0>},
    {"aten::empty", 7, constant_fill<0>},
    {"aten::empty_like", 7, constant_fill<0>},
    {"aten::empty_strided", 7, constant_fill<0>},
    {"aten::empty_permuted", 7, constant_fill<0>},
    {"aten::new_empty", 7, constant_fill<0>},
    {"aten::new_empty_strided", 7, constant_fill<0>},
    {"aten::ones", 7, constant_fill<1>},
    {"aten::ones_like", 7, constant_fill<1>},
    {"aten::new_ones", 7, constant_fill<1>},
    {"aten::full", 7, full},
    {"aten::full_like", 7, full},
    {"aten::new_full", 7, full},
    {"aten::fill", 7, fill},
    {"aten::zero", 7, fill},
    {"aten::arange", 7, arange},
    {"aten::linspace", 7, linspace},
    {"aten::logspace", 7, logspace},
    {"aten::eye", 7, eye},
    {"aten::tril", 7, triangle<false>},
    {"aten::triu", 7, triangle<true>},
    {"aten::tril_indices", 7, triangle_indices<false>},
    {"aten::triu_indices", 7, triangle_indices<true>},
    {"aten::rand", 7, rand},
    {"aten::rand_like", 7, rand},
    {"aten::randn", 7, randn},
    {"aten::randn_like", 7, randn},
    {"aten::randint", 7, randint},
    {"aten::randint_like", 7, randint},
    {"aten::random", 7, random_whole},
    {"aten::randperm", 10, randperm},
    {"aten::normal", 7, normal},
    {"aten::normal_functional", 7, normal_like},
    {"aten::uniform", 7, uniform_like},
    {"aten::bernoulli", 7, bernoulli},
};

}  // namespace

std::span<const Row> creation_rows() { return kCreationRows; }

}  // namespace tonnx::lower
