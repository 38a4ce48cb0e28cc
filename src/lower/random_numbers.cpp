#include "lower/random_numbers.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "lower/formula.h"
#include "lower/known.h"
#include "lower/loop.h"

namespace tonnx::lower {
namespace {

// True if the target has kernels for the random operators of the opset.
bool draws(const Builder& b) { return b.has_kernel("RandomUniform", DType::Float32); }

std::int64_t onnx_dtype(DType dtype) { return ir::onnx_type(dtype); }

Value* of_shape(Builder& b, const std::string& name, Value* shape, DType dtype, Attributes attributes) {
  attributes.push_back({"dtype", onnx_dtype(dtype)});
  if (const auto sizes = known_integers(shape)) {
    attributes.push_back({"shape", *sizes});
    return b.op(name, {}, std::move(attributes));
  }
  return b.op(name + "Like", {b.constant_of_shape(shape, dtype, 0)}, std::move(attributes));
}

Value* sized_like(Builder& b, const std::string& name, Value* like, Attributes attributes) {
  attributes.push_back({"dtype", onnx_dtype(like->facts().dtype)});
  return b.op(name + "Like", {like}, std::move(attributes));
}

Term whole(Builder& b, std::uint64_t number) {
  return {b, b.constant(ir::Tensor::from_bytes(DType::UInt64, {}, reinterpret_cast<const std::byte*>(&number),
                                               sizeof number))};
}

Term mixed(Term x, std::uint64_t by) {
  Builder& b = x.builder();
  Value* high = b.op("BitShift", {x.value(), whole(b, by).value()}, {{"direction", std::string("RIGHT")}});
  return x.with(b.op("BitwiseXor", {x.value(), high}));
}

// A random key, different in every run: one Dropout mask bit for each bit. The input of Dropout is loop-carried,
// because ONNX Runtime would fold a Dropout of constants.
Term key_of_coins(Builder& b) {
  constexpr std::int64_t kBits = 62;
  const auto toss = [&](Value*, const Values& state) -> Pass {
    const Values y =
        b.op("Dropout", {state[0], b.scalar(DType::Float32, 0.5), b.scalar(DType::Bool, std::int64_t{1})}, {}, 2);
    return {nullptr, {b.cast(y[1], DType::Float32)}};
  };
  Value* coins = loop(b, b.int64(1), nullptr, {b.constant_of_shape(b.int64s({kBits}), DType::Float32, 0)}, toss)[0];
  Dims powers;
  for (std::int64_t i = 0; i < kBits; ++i) powers.push_back(std::int64_t{1} << i);
  Value* parts = b.mul(b.cast(coins, DType::Int64), b.int64s(powers));
  return Term{b, b.reduce("ReduceSum", parts, Dims{0}, false)}.cast(DType::UInt64);
}

// Uniform in [0, 1): a hash (splitmix64) of the key and a counter.
Term of_coins(Builder& b, Value* shape, DType dtype) {
  Value* count = b.reduce("ReduceProd", shape, Dims{0}, false);
  const Term places = Term{b, b.range(count)}.cast(DType::UInt64);
  Term x = key_of_coins(b) + places * whole(b, 0x9E3779B97F4A7C15);
  x = mixed(x, 30) * whole(b, 0xBF58476D1CE4E5B9);
  x = mixed(mixed(x, 27) * whole(b, 0x94D049BB133111EB), 31);
  const std::uint64_t bits = dtype == DType::Float64 ? 53 : 24;
  const Term high{b, b.op("BitShift", {x.value(), whole(b, 64 - bits).value()}, {{"direction", std::string("RIGHT")}})};
  const Term y = high.cast(dtype) * std::ldexp(1.0, -static_cast<int>(bits));
  return y.with(b.reshape_exactly(y.value(), shape));
}

Value* stretched(Term x, double low, double high) {
  if (high - low != 1) x = x * (high - low);
  return low == 0 ? x.value() : (x + low).value();
}

// By the Box-Muller transform.
Value* normal_of_coins(Builder& b, Value* shape, DType dtype, double mean, double deviation) {
  const Term length = sqrt(log(1 - of_coins(b, shape, dtype)) * -2);
  const Term y = length * cos(of_coins(b, shape, dtype) * (2 * std::numbers::pi));
  return stretched(y, mean, mean + deviation);
}

}  // namespace

Value* uniform_numbers(Builder& b, Value* shape, DType dtype, double low, double high) {
  if (!draws(b)) return stretched(of_coins(b, shape, dtype), low, high);
  return of_shape(b, "RandomUniform", shape, dtype, {{"low", low}, {"high", high}});
}

Value* normal_numbers(Builder& b, Value* shape, DType dtype, double mean, double deviation) {
  if (!draws(b)) return normal_of_coins(b, shape, dtype, mean, deviation);
  return of_shape(b, "RandomNormal", shape, dtype, {{"mean", mean}, {"scale", deviation}});
}

Value* uniform_like(Builder& b, Value* like, double low, double high) {
  if (!draws(b)) return uniform_numbers(b, b.shape(like), like->facts().dtype, low, high);
  return sized_like(b, "RandomUniform", like, {{"low", low}, {"high", high}});
}

Value* normal_like(Builder& b, Value* like, double mean, double deviation) {
  if (!draws(b)) return normal_numbers(b, b.shape(like), like->facts().dtype, mean, deviation);
  return sized_like(b, "RandomNormal", like, {{"mean", mean}, {"scale", deviation}});
}

Value* drawn_positions(Builder& b, Value* weights, std::int64_t count) {
  if (draws(b))
    return b.op("Multinomial", {b.op("Log", {weights})}, {{"sample_size", count}, {"dtype", onnx_dtype(DType::Int64)}});
  const Term wide = Term{b, weights}.cast(DType::Float64);
  Value* shape = b.join_sizes({b.size(weights, 0), b.int64s({count}), b.int64s({1})});
  const Term drawn = of_coins(b, shape, DType::Float64);
  const Term total{b, b.unsqueeze(b.reduce("ReduceSum", wide.value(), Dims{1}, true), {1})};
  const Term ends{b, b.unsqueeze(b.op("CumSum", {wide.value(), b.int64(1)}), {1})};
  const Term below = (ends <= drawn * total).cast(DType::Int64);
  return b.reduce("ReduceSum", below.value(), Dims{2}, false);
}

Dropped dropped(const Op& op, Value* x, double ratio) {
  Builder& b = op.builder();
  if (b.opset() < 12 && !op.training()) {
    Value* draw = uniform_like(b, b.cast(x, DType::Float32));
    Value* mask = b.op("Not", {less(b, draw, b.scalar(DType::Float32, ratio))});
    return {b.mul(x, b.mul(b.cast(mask, x->facts().dtype), b.scalar_like(x, 1 / (1 - ratio)))), mask};
  }
  const Values results =
      b.opset() < 12
          ? b.op("Dropout", {x}, {{"ratio", ratio}}, 2)
          : b.op("Dropout", {x, b.scalar(DType::Float32, ratio), b.scalar(DType::Bool, std::int64_t{1})}, {}, 2);
  if (op.training() || !b.avoids(ir::Defect::DropoutRemoval)) return {results[0], results[1]};
  return {b.where(results[1], results[0], b.scalar_like(results[0], 0)), results[1]};
}

}  // namespace tonnx::lower
