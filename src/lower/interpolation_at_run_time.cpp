#include <cmath>

#include "lower/elementwise.h"
#include "lower/interpolation.h"

// Interpolation with dynamic sizes or scales.
namespace tonnx::lower::interpolation {

Value* output_size(Builder& b, const Request& r, std::size_t i) {
  if (r.sizes) return b.gather(r.sizes, b.int64(static_cast<std::int64_t>(i)), 0);
  Value* in = b.cast(b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2), DType::Float64);
  Value* open = r.axes[i].open_scale;
  return b.cast(b.op("Floor", {b.mul(in, open ? open : b.scalar(DType::Float64, *r.axes[i].scale))}), DType::Int64);
}

Value* output_sizes(Builder& b, const Request& r) {
  Values sizes;
  for (std::size_t i = 0; i < r.axes.size(); ++i) sizes.push_back(b.reshape(output_size(b, r, i), Dims{1}));
  return b.concat(sizes, 0);
}

namespace {

Value* number(Builder& b, double value) { return b.scalar(DType::Float64, value); }

// step_of() for a dynamic scale; rank 0, float64.
Value* open_step(Builder& b, const Request& r, std::size_t i) {
  Value* in = b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2);
  Value* out = output_size(b, r, i);
  Value* step = b.div(number(b, 1), r.axes[i].open_scale);
  if (doubles_size(r)) step = b.where(equal(b, out, b.mul(in, b.int64(2))), number(b, 0.5), step);
  return keeps_size(r) ? b.where(equal(b, out, in), number(b, 1), step) : step;
}

}  // namespace

bool sizes_override(const Request& r, const Axis& a) {
  if (r.sizes) return a.scale && (keeps_size(r) || doubles_size(r));
  if (!a.scale || a.in) return false;
  for (std::int64_t in = 2; in < kSizes; ++in)
    if (const auto other = scale_by_sizes(r, in, scaled_size(*a.scale, in)); other && *other != *a.scale) return true;
  return false;
}

Value* scale_at_run_time(Builder& b, const Request& r, std::size_t i, double given) {
  Value* scale = b.scalar(DType::Float32, given);
  if (!sizes_override(r, r.axes[i])) return scale;
  Value* in = b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2);
  Value* out = output_size(b, r, i);
  if (doubles_size(r)) scale = b.where(equal(b, out, b.mul(in, b.int64(2))), b.scalar(DType::Float32, 2.0), scale);
  return b.where(equal(b, out, in), b.scalar(DType::Float32, 1.0), scale);
}

Value* nearest_at_run_time(Builder& b, const Request& r) {
  Value* x = r.x;
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    Value* in = b.cast(b.size_scalar(x, axis), DType::Float32);
    Value* out = output_size(b, r, i);
    Value* step =
        r.axes[i].scale ? b.scalar(DType::Float32, 1 / *r.axes[i].scale) : b.div(in, b.cast(out, DType::Float32));
    if (r.axes[i].open_scale) step = b.cast(open_step(b, r, i), DType::Float32);
    if (sizes_override(r, r.axes[i])) step = b.op("Reciprocal", {scale_at_run_time(b, r, i, *r.axes[i].scale)});
    Value* at = b.cast(b.range(out), DType::Float32);
    if (r.kind == Kind::NearestExact) at = b.add(at, b.scalar(DType::Float32, 0.5));
    Value* source = minimum(b, b.op("Floor", {b.mul(at, step)}), b.sub(in, b.scalar(DType::Float32, 1.0)));
    x = b.take(x, b.cast(source, DType::Int64), axis);
  }
  return x;
}

namespace {

// The cubic kernel at distances up to 1, and from 1 to 2.
Value* cubic_near(Builder& b, Value* x, double a) {
  return b.add(b.mul(b.sub(b.mul(number(b, a + 2), x), number(b, a + 3)), b.mul(x, x)), number(b, 1));
}
Value* cubic_far(Builder& b, Value* x, double a) {
  return b.mul(b.sub(b.mul(b.add(b.mul(b.sub(x, number(b, 5)), x), number(b, 8)), x), number(b, 4)), number(b, a));
}

Value* cubic_at_run_time(Builder& b, Value* distance, double a) {
  Value* x = b.op("Abs", {distance});
  Value* far = b.where(less(b, x, number(b, 2)), cubic_far(b, x, a), number(b, 0));
  return b.where(less(b, number(b, 1), x), far, cubic_near(b, x, a));
}

// 0, 1, ..., count - 1 in float64.
Value* places(Builder& b, Value* count) { return b.cast(b.range(count), DType::Float64); }

// step_of() for axis i + 2 with dynamic sizes, as a float64 scalar.
Value* step_at_run_time(Builder& b, const Request& r, std::size_t i, Value* size, Value* out_size) {
  Value *in = b.cast(size, DType::Float64), *out = b.cast(out_size, DType::Float64);
  if (r.align_corners) {
    Value* step = b.div(b.sub(in, number(b, 1)), maximum(b, b.sub(out, number(b, 1)), number(b, 1)));
    return b.where(equal(b, out_size, b.int64(1)), number(b, 0), step);
  }
  const Axis& a = r.axes[i];
  if (a.open_scale) return open_step(b, r, i);
  if (!a.scale) return b.div(in, out);
  Value* step = number(b, 1 / *a.scale);
  return sizes_override(r, a) ? b.where(equal(b, out_size, size), number(b, 1), step) : step;
}

// weights_of() with antialias for an axis with dynamic sizes, in float64. Elements outside the support that LibTorch
// cuts out have weight 0.
Value* antialias_weights(Builder& b, const Request& r, std::size_t i) {
  Value* size = b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2);
  Value* out_size = output_size(b, r, i);
  Value* step = step_at_run_time(b, r, i, size, out_size);
  Value* wide = maximum(b, step, number(b, 1));
  Value* centres = b.unsqueeze(b.mul(step, b.add(places(b, out_size), number(b, 0.5))), {0});
  Value* distance = b.div(b.add(b.sub(b.unsqueeze(places(b, size), {1}), centres), number(b, 0.5)), wide);
  Value* weights = r.kind == Kind::Cubic ? cubic_at_run_time(b, distance, -0.5)
                                         : maximum(b, b.sub(number(b, 1), b.op("Abs", {distance})), number(b, 0));
  Value* total = b.reduce("ReduceSum", weights, Dims{0}, true);  // 0 for outputs entirely outside the input
  return b.div(weights, b.where(equal(b, total, number(b, 0)), number(b, 1), total));
}

Value* antialiased_at_run_time(Builder& b, const Request& r) {
  Value* x = r.x;
  for (std::size_t i = 0; i < r.axes.size(); ++i)
    x = weighted(b, x, static_cast<std::int64_t>(i) + 2, b.cast(antialias_weights(b, r, i), x->facts().dtype));
  return x;
}

// The elements adjacent to the positions of an axis's outputs, and their weights: vectors of int64 and of float64.
struct Neighbours {
  Value* at;
  Value* weights;
};

// The neighbours along axis i + 2 with dynamic sizes: two, or four for cubic, the outer ones first.
std::vector<Neighbours> neighbours(Builder& b, const Request& r, std::size_t i) {
  constexpr double kCubic = -0.75;
  Value *size = b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2), *out_size = output_size(b, r, i);
  Value *step = step_at_run_time(b, r, i, size, out_size), *place = places(b, out_size);
  Value* source =
      r.align_corners ? b.mul(step, place) : b.sub(b.mul(step, b.add(place, number(b, 0.5))), number(b, 0.5));
  if (r.kind == Kind::Linear) source = maximum(b, source, number(b, 0));
  Value *floor = b.op("Floor", {source}), *last = b.sub(b.cast(size, DType::Float64), number(b, 1));
  Value *after = b.sub(source, floor), *before = b.sub(number(b, 1), after);
  const auto beside = [&](std::int64_t offset, Value* weights) {
    Value* at = offset == 0 ? floor : b.add(floor, number(b, static_cast<double>(offset)));
    at = minimum(b, r.kind == Kind::Linear ? at : maximum(b, at, number(b, 0)), last);
    return Neighbours{b.cast(at, DType::Int64), weights};
  };
  if (r.kind == Kind::Linear) return {beside(0, before), beside(1, after)};
  const auto far = [&](Value* distance) { return cubic_far(b, b.add(distance, number(b, 1)), kCubic); };
  return {beside(-1, far(after)), beside(2, far(before)), beside(0, cubic_near(b, after, kCubic)),
          beside(1, cubic_near(b, before, kCubic))};
}

Value* sum_of(Builder& b, const Values& parts) {
  if (parts.size() == 2) return b.add(parts[0], parts[1]);
  return b.add(b.add(parts[0], parts[1]), b.add(parts[2], parts[3]));
}

// Each output is the weighted sum of the two or four elements around its position.
Value* between_at_run_time(Builder& b, const Request& r) {
  Value* x = r.x;
  const std::int64_t rank = x->facts().rank();
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    Dims inner;
    for (std::int64_t k = 1; k < rank - axis; ++k) inner.push_back(k);
    Values parts;
    for (const Neighbours& n : neighbours(b, r, i))
      parts.push_back(b.mul(b.take(x, n.at, axis), b.unsqueeze(b.cast(n.weights, x->facts().dtype), inner)));
    x = sum_of(b, parts);
  }
  return x;
}

// weights_of() for axis i + 2, in float64; sizes may be dynamic.
Value* weight_matrix(Builder& b, const Request& r, std::size_t i) {
  const Axis& a = r.axes[i];
  if (a.in && a.out) return matrix_constant(b, weights_of(r, a), *a.in, *a.out, DType::Float64);
  if (r.antialias) return antialias_weights(b, r, i);
  Value* rows = b.unsqueeze(b.range(b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2)), {1});
  Values parts;
  for (const Neighbours& n : neighbours(b, r, i))
    parts.push_back(b.mul(b.cast(equal(b, rows, b.unsqueeze(n.at, {0})), DType::Float64), b.unsqueeze(n.weights, {0})));
  return sum_of(b, parts);
}

// The largest power of two, up to 2^22, for which all scaled weights fit in 16 bits.
Value* unit_of(Builder& b, Value* weights) {
  std::vector<double> powers;
  for (int k = 1; k <= 22; ++k) powers.push_back(std::ldexp(1.0, k));
  Value* scaled = b.mul(b.reduce("ReduceMax", weights, {}, false), matrix_constant(b, powers, 1, 22, DType::Float64));
  Value* fits = less(b, b.add(scaled, number(b, 0.5)), number(b, 0x1p15));
  return b.op("Pow", {number(b, 2), b.reduce("ReduceSum", b.cast(fits, DType::Float64), {}, false)});
}

}  // namespace

Value* bytes_between(const Op& op, const Request& r) {
  Builder& b = op.builder();
  if (r.axes.size() != 2) op.refuse("LibTorch interpolates uint8 only for images (2 spatial axes) and by nearest");
  if (!r.is_fixed() && op.opset() < 9) op.needs_opset(9, "an interpolation between sizes known at run time only");
  Value* x = b.cast(r.x, DType::Float64);
  for (std::size_t i = r.axes.size(); i-- > 0;) {
    const Axis& a = r.axes[i];
    if (a.in && a.out && *a.in == *a.out) continue;
    Value* weights = weight_matrix(b, r, i);
    Value *unit = unit_of(b, weights), *half = number(b, 0.5);
    Value* away = b.where(less(b, weights, number(b, 0)), number(b, -0.5), half);
    weights = truncate(b, b.add(b.mul(weights, unit), away));
    Value* y = weighted(b, x, static_cast<std::int64_t>(i) + 2, weights);
    x = b.clip(b.op("Floor", {b.add(b.div(y, unit), half)}), 0, 255);
  }
  return b.cast(x, DType::UInt8);
}

Value* at_run_time(const Op& op, const Request& r) {
  if (op.opset() < 9) op.needs_opset(9, "an interpolation between sizes known at run time only");
  Builder& b = op.builder();
  if (r.is_nearest()) return nearest_at_run_time(b, r);
  return r.antialias ? antialiased_at_run_time(b, r) : between_at_run_time(b, r);
}

}  // namespace tonnx::lower::interpolation
