#include "lower/fourier_transform.h"

#include <cmath>
#include <numbers>

#include "lower/complex.h"
#include "lower/known.h"

namespace tonnx::lower {
namespace {

constexpr std::int64_t kLargestMatrix = 512;

std::optional<std::int64_t> fixed_number(const Value* size) {
  const auto known = known_number(size);
  return known ? std::optional(static_cast<std::int64_t>(*known)) : std::nullopt;
}

bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

Value* table(Builder& b, const std::vector<double>& values, DType dtype) {
  std::vector<std::byte> bytes(values.size() * ir::size_of(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) ir::store(dtype, values[i], bytes.data() + i * ir::size_of(dtype));
  return b.constant(
      ir::Tensor::from_bytes(dtype, {static_cast<std::int64_t>(values.size())}, bytes.data(), bytes.size()));
}

struct Wave {
  Value* cosine;
  Value* sine;
};

// cos(2 pi k / n) and sin(2 pi k / n) for k = 0, ..., n - 1.
Wave wave(Op& op, Value* size, DType dtype) {
  Builder& b = op.builder();
  if (const auto n = fixed_number(size)) {
    std::vector<double> cosine, sine;
    for (std::int64_t k = 0; k < *n; ++k) {
      // Exact for multiples of a quarter of a full circle.
      const bool quarter = 4 * k % *n == 0;
      const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(*n);
      cosine.push_back(quarter ? std::round(std::cos(angle)) : std::cos(angle));
      sine.push_back(quarter ? std::round(std::sin(angle)) : std::sin(angle));
    }
    return {table(b, cosine, dtype), table(b, sine, dtype)};
  }
  const Term place = Term{b, b.range(size)}.cast(DType::Float64);
  const Term angle = place * (2 * std::numbers::pi) / place.with(size).cast(DType::Float64);
  return {cos(angle).cast(dtype).value(), sin(angle).cast(dtype).value()};
}

Value* remainder_of(Builder& b, Value* x, Value* size) {
  if (b.opset() >= 10) return b.op("Mod", {x, size});
  return b.sub(x, b.mul(b.div(x, size), size));
}

// Matrix of waves: row k has frequency k, column t is the sample t (or transposed, as the matrix is symmetric).
Wave matrix(Op& op, Value* size, Value* rows, Value* columns, DType dtype) {
  Builder& b = op.builder();
  const Wave one = wave(op, size, dtype);
  Value* product = b.mul(b.unsqueeze(b.range(rows), {1}), b.unsqueeze(b.range(columns), {0}));
  Value* place = remainder_of(b, product, size);
  return {b.gather(one.cosine, place, 0), b.gather(one.sine, place, 0)};
}

// The multiplicity of each of the first n / 2 + 1 coefficients: 2, except for the first one and the last one of an even
// size.
Term weights(Op& op, Value* size, Value* half, DType dtype) {
  Builder& b = op.builder();
  if (const auto n = fixed_number(size)) {
    std::vector<double> counts(static_cast<std::size_t>(*n / 2 + 1), 2);
    counts.front() = 1;
    if (*n % 2 == 0) counts.back() = 1;
    return {b, table(b, counts, dtype)};
  }
  const Term place{b, b.range(half)};
  const Term single = place == 0 || place * 2 == place.with(size);
  return place.with(b.scalar(dtype, 2.0)) - single.cast(dtype);
}

// n / 2 + 1
Value* half_of(Builder& b, Value* size) {
  if (const auto n = fixed_number(size)) return b.int64(*n / 2 + 1);
  return b.add(b.div(size, b.int64(2)), b.int64(1));
}

bool by_matrix(const Op& op, Value* size) {
  const auto n = fixed_number(size);
  return op.opset() < 17 || (n && *n <= kLargestMatrix);
}

Parts cast(Builder& b, const Parts& x, DType dtype) {
  return {b.cast(x.real, dtype), x.imaginary ? b.cast(x.imaginary, dtype) : nullptr};
}

Parts conjugate(Builder& b, const Parts& x) { return {x.real, x.imaginary ? b.op("Neg", {x.imaginary}) : nullptr}; }

// ONNX's DFT, forward.
Parts dft(Op& op, const Parts& x, std::int64_t axis, Value* size, bool half) {
  Builder& b = op.builder();
  const DType dtype = Op::dtype_of(x.real);
  const auto n = fixed_number(size);
  const bool is_exact = (n && is_power_of_two(*n)) || !b.avoids(ir::Defect::DftRounding);
  const Parts given = is_exact ? x : cast(b, x, DType::Float64);
  const std::int64_t last = op.rank_of(x.real);
  Value* signal = given.imaginary ? op.joined(given) : b.unsqueeze(given.real, {last});
  Values inputs{signal, nullptr};
  Attributes attributes{{"onesided", std::int64_t{half}}};
  if (op.opset() >= 20) {
    inputs.push_back(b.int64(axis));
  } else {
    attributes.push_back({"axis", axis});
  }
  Value* y = b.op("DFT", inputs, attributes);
  return cast(b, {b.gather(y, b.int64(0), last), b.gather(y, b.int64(1), last)}, dtype);
}

// Applies f to the tensor with the axis transposed to the end, and transposes the result back.
Parts along_last(Op& op, const Parts& x, std::int64_t axis, const std::function<Parts(const Parts&)>& f) {
  const std::int64_t last = op.rank_of(x.real) - 1;
  const auto turned = [&](Value* v) { return v && axis != last ? op->swap_axes(v, axis, last) : v; };
  const Parts y = f({turned(x.real), turned(x.imaginary)});
  return {turned(y.real), turned(y.imaginary)};
}

}  // namespace

Value* resized(Op& op, Value* x, std::int64_t axis, Value* size) {
  Builder& b = op.builder();
  const auto before = op.fixed_size(x, axis), after = fixed_number(size);
  if (before && before == after) return x;
  if (before && after && *after < *before) return b.slice(x, axis, 0, *after);
  const std::int64_t rank = op.rank_of(x);
  Values sizes;
  for (std::int64_t i = 0; i < rank; ++i) sizes.push_back(i == axis ? b.reshape(size, {1}) : b.size(x, i));
  if (before && after) sizes[static_cast<std::size_t>(axis)] = b.int64s({*after - *before});
  Value* zeros = b.constant_of_shape(sizes.size() == 1 ? sizes.front() : b.concat(sizes, 0), op.dtype_of(x), 0);
  Value* filled = b.concat({x, zeros}, axis);
  return before && after ? filled : slice_between(op, filled, axis, nullptr, size);
}

Parts resized(Op& op, const Parts& x, std::int64_t axis, Value* size) {
  return {resized(op, x.real, axis, size), x.imaginary ? resized(op, x.imaginary, axis, size) : nullptr};
}

Parts fourier(Op& op, const Parts& x, std::int64_t axis, bool inverse) {
  Builder& b = op.builder();
  Value* size = b.size_scalar(x.real, axis);
  if (!by_matrix(op, size)) {
    if (!inverse) return dft(op, x, axis, size, false);
    return conjugate(b, dft(op, conjugate(b, x), axis, size, false));
  }
  return along_last(op, x, axis, [&](const Parts& signal) -> Parts {
    const Wave w = matrix(op, size, size, size, Op::dtype_of(signal.real));
    Value* re = b.matmul(signal.real, w.cosine);
    Value* im = b.matmul(signal.real, w.sine);
    if (!signal.imaginary) return {re, inverse ? im : b.op("Neg", {im})};
    Value* re2 = b.matmul(signal.imaginary, w.sine);
    Value* im2 = b.matmul(signal.imaginary, w.cosine);
    if (inverse) return {b.sub(re, re2), b.add(im2, im)};
    return {b.add(re, re2), b.sub(im2, im)};
  });
}

Parts half_fourier(Op& op, Value* x, std::int64_t axis, bool inverse) {
  Builder& b = op.builder();
  Value* size = b.size_scalar(x, axis);
  if (!by_matrix(op, size)) {
    const Parts y = dft(op, {x, nullptr}, axis, size, true);
    return inverse ? conjugate(b, y) : y;
  }
  return along_last(op, {x, nullptr}, axis, [&](const Parts& signal) -> Parts {
    const Wave w = matrix(op, size, size, half_of(b, size), Op::dtype_of(x));
    Value* im = b.matmul(signal.real, w.sine);
    return {b.matmul(signal.real, w.cosine), inverse ? im : b.op("Neg", {im})};
  });
}

Value* real_fourier(Op& op, const Parts& given, std::int64_t axis, Value* size, bool inverse) {
  Builder& b = op.builder();
  Value* half = half_of(b, size);
  const Parts x = inverse ? resized(op, given, axis, half) : conjugate(b, resized(op, given, axis, half));
  const DType dtype = Op::dtype_of(x.real);
  if (!by_matrix(op, size)) {
    // Of the other coefficients, number k is the conjugate of number n - k.
    Value* places = b.sub(size, b.op("Range", {half, size, b.int64(1)}));
    const auto whole = [&](Value* part, bool negated) {
      Value* others = b.gather(part, places, axis);
      return b.concat({part, negated ? b.op("Neg", {others}) : others}, axis);
    };
    const Parts all{whole(x.real, false), x.imaginary ? whole(x.imaginary, true) : nullptr};
    return dft(op, conjugate(b, all), axis, size, false).real;
  }
  return along_last(op, x, axis,
                    [&](const Parts& signal) -> Parts {
                      const Wave w = matrix(op, size, half, size, dtype);
                      const Term weight = weights(op, size, half, dtype);
                      Value* y = b.matmul(b.mul(signal.real, weight.value()), w.cosine);
                      if (signal.imaginary) y = b.sub(y, b.matmul(b.mul(signal.imaginary, weight.value()), w.sine));
                      return {y, nullptr};
                    })
      .real;
}

}  // namespace tonnx::lower
