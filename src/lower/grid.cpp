#include <optional>

#include "lower/families.h"
#include "lower/formula.h"
#include "lower/sizes.h"

namespace tonnx::lower {
namespace {

enum Mode { kLinear, kNearest, kCubic };
enum Padding { kZeros, kBorder, kReflection };

// GridSample from elementary operators, for opsets without it: gathers each element that a point reads, and weights it
// by its distance.
struct Sampling {
  Op& op;
  Value* elements;  // (batch, channels, elements of a plane)
  Values sizes;     // of the spatial axes: rank 0, int64
  std::vector<Term> lengths,
      points;  // for each spatial axis: its size in the grid's dtype, and the coordinates, (batch, 1, points)
  std::size_t padding;
  bool align;

  Term bounded(std::size_t axis, Term at) const { return min(max(at, 0), lengths[axis] - 1); }

  // Applies the padding mode to a coordinate outside the axis.
  Term padded(std::size_t axis, Term at) const {
    if (padding == kZeros) return at;
    if (padding == kBorder) return bounded(axis, at);
    const double low = align ? 0 : -0.5;
    const Term span = max(align ? lengths[axis] - 1 : lengths[axis], 1);
    const Term distance = abs(at - low), reflections = floor(distance / span);
    const Term rest = distance - reflections * span;
    const Term is_odd = reflections - floor(reflections / 2) * 2 > 0.5;
    return bounded(axis, where(is_odd, span - rest, rest) + low);
  }

  // The element at integer coordinates; 0 outside.
  Term element(const std::vector<Term>& at) const {
    Builder& b = op.builder();
    Term place{b, nullptr};
    Term inside{b, nullptr};
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Term met = at[i] >= 0 && at[i] < lengths[i];
      inside = i == 0 ? met : inside && met;
      const Term index = where(met, at[i], 0).cast(DType::Int64);
      place = i == 0 ? index : place * place.with(sizes[i]) + index;
    }
    Value* spread = b.expand(place.value(), b.join_sizes({b.int64s({1}), b.size(elements, 1), b.int64s({1})}));
    const Term found{b, b.gather_elements(elements, spread, 2)};
    return where(inside, found, 0);
  }

  // The weighted sum over the elements at these offsets from integer coordinates, axis by axis.
  struct Tap {
    Term at, weight;
  };
  Term sum(const std::vector<std::vector<Tap>>& taps, const std::vector<Term>& at, std::optional<Term> weight) const {
    if (at.size() == taps.size()) return element(at) * *weight;
    std::optional<Term> total;
    for (const Tap& tap : taps[at.size()]) {
      std::vector<Term> longer = at;
      longer.push_back(tap.at);
      const Term part = sum(taps, longer, weight ? *weight * tap.weight : tap.weight);
      total = total ? *total + part : part;
    }
    return *total;
  }

  // Cubic convolution with a = -0.75 at the distances 1 + t, t, 1 - t, 2 - t.
  static std::vector<Term> cubic_weights(Term t) {
    const auto near = [](Term d) { return (d * 1.25 - 2.25) * d * d + 1; };
    const auto far = [](Term d) { return ((d * -0.75 + 3.75) * d - 6) * d + 3; };
    const Term rest = 1 - t;
    return {far(t + 1), near(t), near(rest), far(rest + 1)};
  }

  Term result(std::size_t mode) const {
    std::vector<std::vector<Tap>> taps;
    std::vector<Term> nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (mode == kCubic) {
        const Term whole = floor(points[i]);
        const std::vector<Term> weights = cubic_weights(points[i] - whole);
        taps.emplace_back();
        for (int k = 0; k < 4; ++k)
          taps.back().push_back({padded(i, whole + (k - 1)), weights[static_cast<std::size_t>(k)]});
        continue;
      }
      const Term at = padded(i, points[i]);
      if (mode == kNearest) {
        nearest.push_back(at.apply("Round"));
      } else {
        const Term whole = floor(at), after = at - whole;
        taps.push_back({{whole, 1 - after}, {whole + 1, after}});
      }
    }
    return mode == kNearest ? element(nearest) : sum(taps, {}, std::nullopt);
  }
};

// Reshapes with explicit dims: ONNX cannot infer a -1 if another dim is 0.
Value* in_sizes(Op& op, Value* x, const Values& sizes) {
  Value* shape = op->join_sizes(sizes);
  return op.opset() >= 14 ? op->reshape_exactly(x, shape) : op->reshape(x, shape);
}

// The product of the sizes [first, last).
Value* places(Op& op, Value* x, std::int64_t first, std::int64_t last) {
  Value* count = op->int64(1);
  for (std::int64_t i = first; i < last; ++i) count = multiply_sizes(op.builder(), count, op->size_scalar(x, i));
  return op->reshape(count, {1});
}

Value* sampled_by_gathering(Op& op, Value* x, Value* grid, std::size_t mode, std::size_t padding, bool align) {
  Builder& b = op.builder();
  const std::int64_t axes = op.rank_of(x) - 2;
  // Below opset 14 a dim of 0 is copied from the input, whose dim is also 0 here.
  Value* shape = b.join_sizes({b.size(x, 0), b.size(x, 1), sizes_between(op, grid, 1, axes + 1)});
  // ONNX Runtime treats unknown dims as -1 in its shape inference and refuses them if another dim is 0.
  if (op.fixed_size(x, 0) == 0 || op.fixed_size(x, 1) == 0) return b.constant_of_shape(shape, op.dtype_of(x), 0);
  Sampling s{op, in_sizes(op, x, {b.size(x, 0), b.size(x, 1), places(op, x, 2, axes + 2)}), {}, {}, {}, padding, align};
  Value* points = in_sizes(op, grid, {b.size(grid, 0), places(op, grid, 1, axes + 1), b.int64s({axes})});
  for (std::int64_t i = 0; i < axes; ++i) {
    s.sizes.push_back(b.size_scalar(x, i + 2));
    const Term length{b, b.cast(s.sizes.back(), op.dtype_of(grid))};
    const Term at{b, b.unsqueeze(b.take(points, b.int64(axes - 1 - i), 2), {1})};
    s.lengths.push_back(length);
    s.points.push_back(align ? (at + 1) / 2 * (length - 1) : ((at + 1) * length - 1) / 2);
  }
  return in_sizes(op, s.result(mode).value(), {b.size(x, 0), b.size(x, 1), sizes_between(op, grid, 1, axes + 1)});
}

Outputs grid_sampler(Op& op) {
  static constexpr const char* kModes[] = {"bilinear", "nearest", "bicubic"};
  static constexpr const char* kNewModes[] = {"linear", "nearest", "cubic"};
  static constexpr const char* kPadding[] = {"zeros", "border", "reflection"};
  Value* x = op.tensor("input");
  const std::size_t mode = static_cast<std::size_t>(op.integer("interpolation_mode"));
  const std::size_t padding = static_cast<std::size_t>(op.integer("padding_mode"));
  if (mode > 2) op.refuse_argument("interpolation_mode", "must be 0, 1 or 2");
  if (padding > 2) op.refuse_argument("padding_mode", "must be 0, 1 or 2");
  // 5-dimensional inputs need opset 20.
  if (op.opset() < (op.rank_of(x) == 5 ? 20 : 16) || !op->serves("GridSample", x))
    return sampled_by_gathering(op, x, op.tensor("grid"), mode, padding, op.flag("align_corners"));
  return op->op("GridSample", {x, op.tensor("grid")},
                {{"mode", std::string(op.opset() >= 20 ? kNewModes[mode] : kModes[mode])},
                 {"padding_mode", std::string(kPadding[padding])},
                 {"align_corners", std::int64_t{op.flag("align_corners")}}});
}

// The centres of `count` cells between -1 and 1; with align_corners, points that include both ends.
Value* grid_line(Builder& b, Value* count, bool align_corners, DType dtype) {
  Value* i = b.cast(b.range(count), dtype);
  Value* n = b.cast(count, dtype);
  Value* one = b.scalar(dtype, 1.0);
  Value* two = b.scalar(dtype, 2.0);
  if (!align_corners) return b.sub(b.div(b.add(b.mul(i, two), one), n), one);
  // A single point is at 0.
  Value* spaces = maximum(b, b.sub(n, one), one);
  Value* extent = minimum(b, b.sub(n, one), one);
  return b.sub(b.div(b.mul(i, two), spaces), extent);
}

Outputs affine_grid_generator(Op& op) {
  Builder& b = op.builder();
  Value* theta = op.tensor("theta");
  const bool align = op.flag("align_corners");
  Value* size = op.int_vector("size");
  const auto count = op.fixed_size(size, 0);
  if (count != 4 && count != 5) op.refuse_argument("size", "must have four or five elements");
  const DType dtype = theta->facts().dtype;
  const std::int64_t axes = *count - 2;
  const auto at = [&](std::int64_t i) -> Value* {
    if (op.is_constant("size")) return b.int64(op.integers("size").at(static_cast<std::size_t>(i)));
    return b.gather(size, b.int64(i), 0);
  };
  // The homogeneous coordinates (x, y, [z,] 1) of every point; x along the last axis.
  Values ends;
  for (std::int64_t k = 0; k < axes; ++k)
    ends.push_back(op.is_constant("size") ? b.int64s({op.integers("size").at(static_cast<std::size_t>(k + 2))})
                                          : b.reshape(at(k + 2), {1}));
  Value* spatial = b.join_sizes(ends);
  Values columns;
  for (std::int64_t k = axes - 1; k >= 0; --k) {
    Value* line = grid_line(b, at(k + 2), align, dtype);
    Dims trailing;
    for (std::int64_t j = 1; j < axes - k; ++j) trailing.push_back(j);
    Value* spread = b.expand(b.unsqueeze(line, trailing), spatial);
    columns.push_back(b.reshape(spread, {-1, 1}));
  }
  columns.push_back(b.add(b.mul(columns[0], b.scalar(dtype, 0.0)), b.scalar(dtype, 1.0)));
  Value* points = b.matmul(b.concat(columns, 1), b.transpose(theta, {0, 2, 1}));
  return b.reshape(points, b.concat({b.size(theta, 0), spatial, b.int64s({axes})}, 0));
}

constexpr Row kGridRows[] = {
    {"aten::grid_sampler", 11, grid_sampler},
    {"aten::grid_sampler_2d", 11, grid_sampler},
    {"aten::grid_sampler_3d", 11, grid_sampler},
    {"aten::_grid_sampler_2d_cpu_fallback", 11, grid_sampler},
    {"aten::affine_grid_generator", 7, affine_grid_generator},
};

}  // namespace

std::span<const Row> grid_rows() { return kGridRows; }

}  // namespace tonnx::lower
