#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lower/elementwise.h"
#include "lower/families.h"
#include "lower/spatial.h"

namespace tonnx::lower {
namespace {

enum class Kind { Nearest, NearestExact, Linear, Cubic };

struct Axis {
  std::optional<double> scale;       // as given; else output size / input size
  std::optional<std::int64_t> in, out;
  bool is_multiple = false;  // the output's size is a whole multiple of the input's at every size
  bool is_apart = false;     // the output's size is given, and may not be what the scale makes of the input's
  Value* open_scale = nullptr;  // as given, where a run decides it: float64 of rank 0
};

struct Request {
  Kind kind = Kind::Nearest;
  bool align_corners = false;
  bool antialias = false;
  Value* x = nullptr;
  std::vector<Axis> axes;
  Value* sizes = nullptr;  // rank-1 int64; null if the scales give them

  bool is_nearest() const { return kind == Kind::Nearest || kind == Kind::NearestExact; }
  bool is_fixed() const {
    return std::all_of(axes.begin(), axes.end(), [](const Axis& a) { return a.in && a.out; });
  }
  bool has_scales() const {
    return std::all_of(axes.begin(), axes.end(), [](const Axis& a) { return a.scale.has_value(); });
  }
};

std::vector<double> numbers(const Op& op, std::string_view argument) {
  const ir::Constant* c = op.constant(argument);
  const ir::Constant::List* list = c ? c->get<ir::Constant::List>() : nullptr;
  if (!list) op.refuse_argument(argument, "must be a constant list of numbers; it depends on the model's inputs");
  std::vector<double> result;
  for (const ir::Constant& item : list->items) result.push_back(item.as_double());
  return result;
}

// As many numbers as axes, of rank 0 and float64, where a run decides them; a single one counts for all.
Values open_numbers(const Op& op, std::string_view argument, std::int64_t count) {
  Builder& b = op.builder();
  Value* list = op.vector_of(op.source(argument), DType::Float64);
  const auto length = op.fixed_size(list, 0);
  if (length && *length != 1 && *length != count) op.refuse_argument(argument, "must have one number an axis");
  Values numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(b.gather(list, b.int64(length == 1 ? 0 : i), 0));
  return numbers;
}

// The scale arguments of the forms with an output size: "scales", or "scales_d", "scales_h", "scales_w".
std::optional<double> scale_argument(const Op& op, std::int64_t axis, std::int64_t count) {
  static constexpr const char* kNames[] = {"scales_d", "scales_h", "scales_w"};
  const char* name = count == 1 ? "scales" : kNames[3 - count + axis];
  return op.has(name) ? op.maybe_number(name) : std::nullopt;
}

// What a scale makes of a size in LibTorch, and in Resize, which multiplies in float32.
std::int64_t scaled_size(double scale, std::int64_t size) {
  return static_cast<std::int64_t>(static_cast<double>(size) * scale);
}
std::int64_t resized_size(double scale, std::int64_t size) {
  return static_cast<std::int64_t>(std::floor(static_cast<float>(size) * static_cast<float>(scale)));
}

// Whether Resize, and ONNX's shape inference, which takes the float32 scale as a double, make LibTorch's size of a known one.
bool gives_size(const Axis& a) {
  const auto inferred = static_cast<std::int64_t>(static_cast<double>(*a.in) * static_cast<double>(static_cast<float>(*a.scale)));
  return resized_size(*a.scale, *a.in) == *a.out && inferred == *a.out;
}

bool is_multiple(const ir::Dim& out, const ir::Dim& in) {
  constexpr std::int64_t kMost = 64;
  if (!out.is_symbolic() || !in.is_symbolic()) return false;
  for (std::int64_t k = 1; k <= kMost; ++k)
    if (*out.polynomial() == *in.polynomial() * ir::Polynomial(k)) return true;
  return false;
}

// Whether a scale may make another size than `out` of `in`: what is not told may be any.
bool is_apart(const ir::Dim& out, const ir::Dim& in, double scale) {
  if (out.is_fixed() && in.is_fixed()) return resized_size(scale, in.size()) != out.size();
  if (!out.is_symbolic() || !in.is_symbolic()) return true;
  std::set<std::string> symbols = out.polynomial()->symbols();
  symbols.merge(in.polynomial()->symbols());
  const std::vector<std::string> names(symbols.begin(), symbols.end());
  for (const std::int64_t first : {2, 5, 8, 13}) {
    Dims sizes;
    for (std::size_t i = 0; i < names.size(); ++i) sizes.push_back(first + 3 * static_cast<std::int64_t>(i));
    const auto before = in.polynomial()->value(names, sizes), after = out.polynomial()->value(names, sizes);
    if (before && after && *before > 0 && scaled_size(scale, *before) != *after) return true;
  }
  return false;
}

Request request_of(const Op& op, Kind kind, std::int64_t count) {
  Request r;
  r.kind = kind;
  r.align_corners = op.has("align_corners") && op.flag("align_corners");
  r.x = op.tensor(op.has("input") ? "input" : "self");
  const std::int64_t rank = op.rank_of(r.x);
  if (rank != count + 2)
    op.refuse("the input must have " + std::to_string(count + 2) + " axes, not " + std::to_string(rank));
  const bool has_sizes = !op.is_none("output_size");
  std::vector<double> factors;
  Values open_factors;
  if (!has_sizes && !op.is_constant("scale_factors")) {
    open_factors = open_numbers(op, "scale_factors", count);
  } else if (!has_sizes) {
    factors = numbers(op, "scale_factors");
    if (factors.size() == 1) factors.assign(static_cast<std::size_t>(count), factors.front());
    if (static_cast<std::int64_t>(factors.size()) != count) op.refuse_argument("scale_factors", "must have one number an axis");
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    Axis a;
    a.in = op.fixed_size(r.x, i + 2);
    if (has_sizes) {
      if (op.is_constant("output_size")) a.out = per_axis(op, "output_size", count).at(at);
      a.scale = scale_argument(op, i, count);
      if (a.scale && *a.scale <= 0) a.scale.reset();
    } else if (!open_factors.empty()) {
      a.open_scale = open_factors[at];
    } else {
      a.scale = factors[at];
      if (a.in) a.out = scaled_size(*a.scale, *a.in);
    }
    a.is_apart = has_sizes && a.scale;
    if (const auto& dims = op.node().output()->facts().dims; dims && static_cast<std::int64_t>(dims->size()) == rank) {
      const ir::Dim &out = (*dims)[at + 2], &in = (*r.x->facts().dims)[at + 2];
      a.is_multiple = is_multiple(out, in);
      a.is_apart = a.is_apart && is_apart(out, in, *a.scale);
    }
    r.axes.push_back(a);
  }
  if (has_sizes) r.sizes = op.int_vector("output_size");
  return r;
}

// Distance between two outputs in units of the input, as LibTorch takes it.
double step_of(const Request& r, const Axis& a) {
  if (r.align_corners) return *a.out > 1 ? static_cast<double>(*a.in - 1) / static_cast<double>(*a.out - 1) : 0;
  return a.scale ? 1 / *a.scale : static_cast<double>(*a.in) / static_cast<double>(*a.out);
}

// The input element behind output i of a nearest interpolation, in float32 as LibTorch has it; the last one may be less.
std::int64_t nearest_source(Kind kind, float step, std::int64_t i) {
  const float at = kind == Kind::NearestExact ? (static_cast<float>(i) + 0.5f) * step : static_cast<float>(i) * step;
  return static_cast<std::int64_t>(std::floor(at));
}

// LibTorch's kernels leave an axis alone whose size stays, whatever the scale says, and double one that doubles: the scale
// they take instead.
bool keeps_size(const Request& r) {
  const bool is_bytes = !r.is_nearest() && r.x->facts().dtype == DType::UInt8;
  return r.antialias || r.kind == Kind::Linear || (r.kind == Kind::Nearest && r.axes.size() == 2) || is_bytes;
}
bool doubles_size(const Request& r) { return r.kind == Kind::Nearest && r.axes.size() == 2; }

std::optional<double> scale_by_sizes(const Request& r, std::int64_t in, std::int64_t out) {
  if (keeps_size(r) && out == in) return 1;
  if (doubles_size(r) && out == 2 * in) return 2;
  return std::nullopt;
}

// The same as Resize defines it, from a float32 scale.
std::int64_t resize_source(Kind kind, float scale, std::int64_t i) {
  const float at = kind == Kind::NearestExact ? std::floor((static_cast<float>(i) + 0.5f) / scale - 0.5f + 0.5f)
                                              : std::floor(static_cast<float>(i) / scale);
  return static_cast<std::int64_t>(at);
}

// Of all outputs of an axis of known sizes.
Dims nearest_sources(const Request& r, const Axis& a) {
  const float step = a.scale ? static_cast<float>(1 / *a.scale) : static_cast<float>(*a.in) / static_cast<float>(*a.out);
  Dims sources;
  for (std::int64_t i = 0; i < *a.out; ++i) sources.push_back(std::min(nearest_source(r.kind, step, i), *a.in - 1));
  return sources;
}

Dims resize_sources(const Request& r, const Axis& a) {
  const float scale = a.scale ? static_cast<float>(*a.scale) : static_cast<float>(*a.out) / static_cast<float>(*a.in);
  Dims sources;
  for (std::int64_t i = 0; i < *a.out; ++i)
    sources.push_back(std::clamp<std::int64_t>(resize_source(r.kind, scale, i), 0, *a.in - 1));
  return sources;
}

double cubic(double x, double a) {
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

// Weights of the inputs in each output: a matrix (in, out).
std::vector<double> weights_of(const Request& r, const Axis& a) {
  const std::int64_t in = *a.in, out = *a.out;
  const double step = step_of(r, a);
  std::vector<double> matrix(static_cast<std::size_t>(in * out), 0.0);
  const auto at = [&](std::int64_t i, std::int64_t o) -> double& {
    return matrix[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, in - 1) * out + o)];
  };
  for (std::int64_t o = 0; o < out; ++o) {
    if (r.antialias) {
      const double size = r.kind == Kind::Cubic ? 4 : 2;
      const double support = step >= 1 ? size / 2 * step : size / 2;
      const double inverse = step >= 1 ? 1 / step : 1;
      const double centre = step * (static_cast<double>(o) + 0.5);
      const std::int64_t first = std::max<std::int64_t>(static_cast<std::int64_t>(centre - support + 0.5), 0);
      const std::int64_t last = std::min(static_cast<std::int64_t>(centre + support + 0.5), in);
      double total = 0;
      for (int pass = 0; pass < 2; ++pass) {
        for (std::int64_t i = first; i < last; ++i) {
          const double x = (static_cast<double>(i) - centre + 0.5) * inverse;
          const double w = r.kind == Kind::Cubic ? cubic(x, -0.5) : std::max(0.0, 1 - std::fabs(x));
          if (pass == 0) total += w;
          else if (total != 0) at(i, o) += w / total;
        }
      }
      continue;
    }
    double source = r.align_corners ? step * static_cast<double>(o) : step * (static_cast<double>(o) + 0.5) - 0.5;
    if (r.kind == Kind::Linear) source = std::max(source, 0.0);
    const double floor = std::floor(source), t = source - floor;
    const std::int64_t i = static_cast<std::int64_t>(floor);
    if (r.kind == Kind::Linear) {
      at(i, o) += 1 - t;
      at(i + 1, o) += t;
    } else {
      for (std::int64_t k = -1; k <= 2; ++k) at(i + k, o) += cubic(t - static_cast<double>(k), -0.75);
    }
  }
  return matrix;
}

Value* matrix_constant(Builder& b, const std::vector<double>& values, std::int64_t rows, std::int64_t columns, DType dtype) {
  std::vector<std::byte> bytes(values.size() * ir::size_of(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) ir::store(dtype, values[i], bytes.data() + i * ir::size_of(dtype));
  return b.constant(ir::Tensor::from_bytes(dtype, {rows, columns}, bytes.data(), bytes.size()));
}

// Fixed sizes at any opset: a gather, or a product with the weights, along each axis.
Value* by_axis(Builder& b, const Request& r) {
  Value* x = r.x;
  const std::int64_t rank = x->facts().rank();
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    const Axis& a = r.axes[i];
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    if (r.is_nearest()) {
      const Dims sources = nearest_sources(r, a);
      bool same = *a.in == *a.out;
      for (std::size_t k = 0; k < sources.size(); ++k) same = same && sources[k] == static_cast<std::int64_t>(k);
      if (!same) x = b.take(x, b.int64s(sources), axis);
    } else {
      Value* weights = matrix_constant(b, weights_of(r, a), *a.in, *a.out, x->facts().dtype);
      x = b.swap_axes(b.matmul(b.swap_axes(x, axis, rank - 1), weights), axis, rank - 1);
    }
  }
  return x == r.x ? b.op("Identity", {x}) : x;
}

// Of axis i + 2, as an int64 scalar.
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

// step_of() where a run decides the scale, of rank 0 and float64.
Value* open_step(Builder& b, const Request& r, std::size_t i) {
  const auto number = [&](double value) { return b.scalar(DType::Float64, value); };
  Value* in = b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2);
  Value* out = output_size(b, r, i);
  Value* step = b.div(number(1), r.axes[i].open_scale);
  if (doubles_size(r)) step = b.where(equal(b, out, b.mul(in, b.int64(2))), number(0.5), step);
  return keeps_size(r) ? b.where(equal(b, out, in), number(1), step) : step;
}

constexpr double kMostRepeats = 1024;
constexpr std::int64_t kSizes = 8192;  // of an open axis, which are tried

// Whether an open axis has sizes at which its scale counts for nothing. Where one element is all, any scale gives it.
bool sizes_override(const Request& r, const Axis& a) {
  if (r.sizes) return a.scale && (keeps_size(r) || doubles_size(r));
  if (!a.scale || a.in) return false;
  for (std::int64_t in = 2; in < kSizes; ++in)
    if (const auto other = scale_by_sizes(r, in, scaled_size(*a.scale, in)); other && *other != *a.scale) return true;
  return false;
}

// Of axis i + 2, as a float32 scalar; `given` unless the sizes override it.
Value* scale_at_run_time(Builder& b, const Request& r, std::size_t i, double given) {
  Value* scale = b.scalar(DType::Float32, given);
  if (!sizes_override(r, r.axes[i])) return scale;
  Value* in = b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2);
  Value* out = output_size(b, r, i);
  if (doubles_size(r)) scale = b.where(equal(b, out, b.mul(in, b.int64(2))), b.scalar(DType::Float32, 2.0), scale);
  return b.where(equal(b, out, in), b.scalar(DType::Float32, 1.0), scale);
}

// Nearest with sizes known at run time only: below opset 11, and where Resize would miss elements.
Value* nearest_at_run_time(Builder& b, const Request& r) {
  Value* x = r.x;
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    Value* in = b.cast(b.size_scalar(x, axis), DType::Float32);
    Value* out = output_size(b, r, i);
    Value* step = r.axes[i].scale ? b.scalar(DType::Float32, 1 / *r.axes[i].scale) : b.div(in, b.cast(out, DType::Float32));
    if (r.axes[i].open_scale) step = b.cast(open_step(b, r, i), DType::Float32);
    if (sizes_override(r, r.axes[i])) step = b.op("Reciprocal", {scale_at_run_time(b, r, i, *r.axes[i].scale)});
    Value* at = b.cast(b.range(out), DType::Float32);
    if (r.kind == Kind::NearestExact) at = b.add(at, b.scalar(DType::Float32, 0.5));
    Value* source = minimum(b, b.op("Floor", {b.mul(at, step)}), b.sub(in, b.scalar(DType::Float32, 1.0)));
    x = b.take(x, b.cast(source, DType::Int64), axis);
  }
  return x;
}

Value* number(Builder& b, double value) { return b.scalar(DType::Float64, value); }

// The cubic kernel at distances of up to 1, and of 1 to 2.
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

// What step_of() gives for axis i + 2 whose sizes a run tells, as a float64 scalar.
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

// What weights_of() gives for an axis with antialias whose sizes a run tells, in float64. No element outside of the support that
// LibTorch cuts out has a weight.
Value* antialias_weights(Builder& b, const Request& r, std::size_t i) {
  Value* size = b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2);
  Value* out_size = output_size(b, r, i);
  Value* step = step_at_run_time(b, r, i, size, out_size);
  Value* wide = maximum(b, step, number(b, 1));
  Value* centres = b.unsqueeze(b.mul(step, b.add(places(b, out_size), number(b, 0.5))), {0});
  Value* distance = b.div(b.add(b.sub(b.unsqueeze(places(b, size), {1}), centres), number(b, 0.5)), wide);
  Value* weights = r.kind == Kind::Cubic ? cubic_at_run_time(b, distance, -0.5)
                                         : maximum(b, b.sub(number(b, 1), b.op("Abs", {distance})), number(b, 0));
  Value* total = b.reduce("ReduceSum", weights, Dims{0}, true);  // 0 of what lies wholly beyond the input
  return b.div(weights, b.where(equal(b, total, number(b, 0)), number(b, 1), total));
}

Value* antialiased_at_run_time(Builder& b, const Request& r) {
  Value* x = r.x;
  const std::int64_t rank = x->facts().rank();
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    Value* weights = b.cast(antialias_weights(b, r, i), x->facts().dtype);
    x = b.swap_axes(b.matmul(b.swap_axes(x, axis, rank - 1), weights), axis, rank - 1);
  }
  return x;
}

// Elements beside the places of an axis's outputs and their weights, vectors of int64 and of float64.
struct Neighbours {
  Value* at;
  Value* weights;
};

// Those of axis i + 2 whose sizes a run tells: two, or four of a cubic, the outer ones first.
std::vector<Neighbours> neighbours(Builder& b, const Request& r, std::size_t i) {
  constexpr double kCubic = -0.75;
  Value *size = b.size_scalar(r.x, static_cast<std::int64_t>(i) + 2), *out_size = output_size(b, r, i);
  Value *step = step_at_run_time(b, r, i, size, out_size), *place = places(b, out_size);
  Value* source = r.align_corners ? b.mul(step, place) : b.sub(b.mul(step, b.add(place, number(b, 0.5))), number(b, 0.5));
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
  return {beside(-1, far(after)), beside(2, far(before)), beside(0, cubic_near(b, after, kCubic)), beside(1, cubic_near(b, before, kCubic))};
}

Value* sum_of(Builder& b, const Values& parts) {
  if (parts.size() == 2) return b.add(parts[0], parts[1]);
  return b.add(b.add(parts[0], parts[1]), b.add(parts[2], parts[3]));
}

// Each output is a sum of the elements around its place, two or four, by their weights.
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

// What weights_of() gives for axis i + 2 in float64, whose sizes a run may tell.
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

// The largest power of two by which no weight leaves 16 bits, up to 2^22.
Value* unit_of(Builder& b, Value* weights) {
  std::vector<double> powers;
  for (int k = 1; k <= 22; ++k) powers.push_back(std::ldexp(1.0, k));
  Value* scaled = b.mul(b.reduce("ReduceMax", weights, {}, false), matrix_constant(b, powers, 1, 22, DType::Float64));
  Value* fits = less(b, b.add(scaled, number(b, 0.5)), number(b, 0x1p15));
  return b.op("Pow", {number(b, 2), b.reduce("ReduceSum", b.cast(fits, DType::Float64), {}, false)});
}

// LibTorch's interpolation of bytes: the last axis first, by weights that are whole numbers of 16 bits, with bytes in between.
Value* bytes_between(const Op& op, const Request& r) {
  Builder& b = op.builder();
  if (r.axes.size() != 2) op.refuse("interpolation of bytes other than of images and by nearest has no form in LibTorch");
  if (!r.is_fixed() && op.opset() < 9) op.needs_opset(9, "an interpolation between sizes known at run time only");
  Value* x = b.cast(r.x, DType::Float64);
  for (std::size_t i = r.axes.size(); i-- > 0;) {
    const Axis& a = r.axes[i];
    if (a.in && a.out && *a.in == *a.out) continue;
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2, last = x->facts().rank() - 1;
    Value* weights = weight_matrix(b, r, i);
    Value *unit = unit_of(b, weights), *half = number(b, 0.5);
    Value* away = b.where(less(b, weights, number(b, 0)), number(b, -0.5), half);
    weights = truncate(b, b.add(b.mul(weights, unit), away));
    Value* y = b.swap_axes(b.matmul(b.swap_axes(x, axis, last), weights), axis, last);
    x = b.clip(b.op("Floor", {b.add(b.div(y, unit), half)}), 0, 255);
  }
  return b.cast(x, DType::UInt8);
}

// By sizes and scales that a run tells, without Resize.
Value* at_run_time(const Op& op, const Request& r) {
  if (op.opset() < 9) op.needs_opset(9, "an interpolation between sizes known at run time only");
  Builder& b = op.builder();
  if (r.is_nearest()) return nearest_at_run_time(b, r);
  return r.antialias ? antialiased_at_run_time(b, r) : between_at_run_time(b, r);
}

// Whole-number enlargement by repetition: what Upsample has at opsets 7 to 9 and Resize at 10.
Value* repetition(Builder& b, const Request& r) {
  std::vector<double> scales{1, 1};
  for (const Axis& a : r.axes) {
    double scale = 0;
    if (a.in && a.out && *a.in > 0 && *a.out % *a.in == 0) scale = static_cast<double>(*a.out / *a.in);
    else if (!r.sizes && a.scale) scale = *a.scale;
    if (scale < 1 || scale != std::floor(scale) || (a.scale && *a.scale != scale)) return nullptr;
    scales.push_back(scale);
  }
  Attributes attributes{{"mode", std::string("nearest")}};
  if (b.opset() < 9) {
    attributes.push_back({"scales", scales});
    return b.op("Upsample", {r.x}, std::move(attributes));
  }
  std::vector<float> narrow(scales.begin(), scales.end());
  Value* input = b.constant(ir::Tensor::from_bytes(DType::Float32, {static_cast<std::int64_t>(narrow.size())},
                                                   narrow.data(), narrow.size() * sizeof(float)));
  return b.op(b.opset() == 9 ? "Upsample" : "Resize", {r.x, input}, std::move(attributes));
}

Value* floats(Builder& b, const std::vector<float>& values) {
  return b.constant(ir::Tensor::from_bytes(DType::Float32, {static_cast<std::int64_t>(values.size())}, values.data(),
                                           values.size() * sizeof(float)));
}

Value* scales_of(Builder& b, const Request& r) {
  std::vector<float> scales{1, 1};
  for (const Axis& a : r.axes) scales.push_back(static_cast<float>(*a.scale));
  return floats(b, scales);
}

// The quotients of known sizes, where they make these sizes again; null if they do not.
Value* quotients_of(Builder& b, Request r) {
  for (Axis& a : r.axes) {
    if (!a.in || !a.out || *a.in == 0) return nullptr;
    a.scale = static_cast<double>(*a.out) / static_cast<double>(*a.in);
    if (!gives_size(a)) return nullptr;
  }
  return scales_of(b, r);
}

// The Resize operator from opset 11 on; by its sizes without scales. Its attribute `axes` is not used: ONNX Runtime 1.31 moves
// transposes through Resize as if there were sizes of all axes, and does not load the model then.
Value* resize(Builder& b, const Request& r, Value* scales) {
  Attributes attributes;
  const char* coordinates = r.align_corners ? "align_corners" : r.kind == Kind::Nearest ? "asymmetric" : "half_pixel";
  attributes.push_back({"coordinate_transformation_mode", std::string(coordinates)});
  attributes.push_back({"mode", std::string(r.is_nearest() ? "nearest" : r.kind == Kind::Linear ? "linear" : "cubic")});
  if (r.is_nearest())
    attributes.push_back({"nearest_mode", std::string(r.kind == Kind::Nearest ? "floor" : "round_prefer_ceil")});
  if (r.kind == Kind::Cubic) attributes.push_back({"cubic_coeff_a", r.antialias ? -0.5 : -0.75});
  if (r.antialias) {
    attributes.push_back({"antialias", std::int64_t{1}});
    attributes.push_back({"exclude_outside", std::int64_t{1}});
  }
  Value* roi = b.opset() < 13 ? floats(b, {}) : nullptr;
  if (scales) return b.op("Resize", {r.x, roi, scales}, std::move(attributes));
  Value* none = b.opset() < 13 ? floats(b, {}) : nullptr;
  const auto batch = r.x->facts().dims->at(0), channels = r.x->facts().dims->at(1);
  const bool constant = std::all_of(r.axes.begin(), r.axes.end(), [](const Axis& a) { return a.out.has_value(); });
  Value* sizes = r.sizes;
  if (batch.is_fixed() && channels.is_fixed() && constant) {
    Dims all{batch.size(), channels.size()};
    for (const Axis& a : r.axes) all.push_back(*a.out);
    sizes = b.int64s(all);
  } else if (Value* quotients = quotients_of(b, r)) {
    return b.op("Resize", {r.x, roi, quotients}, std::move(attributes));
  } else {
    sizes = b.concat({b.slice(b.shape(r.x), 0, 0, 2), sizes}, 0);
  }
  return b.op("Resize", {r.x, roi, none, sizes}, std::move(attributes));
}

// Whether Resize gives exactly the elements that LibTorch takes. It divides by the quotient of the sizes, which may fall
// short of a whole element (49 to 7).
bool nearest_agrees(const Request& r) {
  if (!r.is_nearest()) return true;
  return std::all_of(r.axes.begin(), r.axes.end(), [&](const Axis& a) {
    if (a.in && a.out) return nearest_sources(r, a) == resize_sources(r, a) && (!a.scale || gives_size(a));
    if (!a.scale) return a.is_multiple;
    if (sizes_override(r, a)) return false;
    for (std::int64_t i = 0; i < kSizes; ++i)
      if (resized_size(*a.scale, i) != scaled_size(*a.scale, i) ||
          nearest_source(r.kind, static_cast<float>(1 / *a.scale), i) != resize_source(r.kind, static_cast<float>(*a.scale), i))
        return false;
    return true;
  });
}

bool stays(const Axis& a, std::int64_t least) {
  if (a.in && a.out) return *a.in >= least && *a.in == *a.out;
  for (std::int64_t in = least; in < kSizes && !a.in && a.scale; ++in)
    if (scaled_size(*a.scale, in) == in) return true;
  return false;
}

// ONNX Runtime copies an input none of whose sizes change, also where a scale would move its elements.
bool is_copied(const Request& r) {
  const auto moves = [](const Axis& a) { return a.scale && *a.scale != 1 && stays(a, 2); };
  return !r.align_corners && !keeps_size(r) && std::any_of(r.axes.begin(), r.axes.end(), moves) &&
         std::all_of(r.axes.begin(), r.axes.end(), [](const Axis& a) { return stays(a, 1); });
}

// Between elements, with scales and sizes of the input that a run decides.
Value* resize_open(Builder& b, Request r) {
  const Request asked = r;
  if (r.align_corners) {
    r.sizes = output_sizes(b, asked);  // which alone tell which elements meet
    return resize(b, r, nullptr);
  }
  // A scale that is not below LibTorch's in float32 never gives too few elements.
  for (Axis& a : r.axes)
    if (static_cast<float>(*a.scale) < *a.scale)
      a.scale = std::nextafter(static_cast<float>(*a.scale), std::numeric_limits<float>::infinity());
  if (is_copied(r)) {
    // Repeated at its end the input is the same to a cubic, and grows at every size.
    const double more = std::ceil(1 / (*asked.axes.back().scale - 1));
    if (!(more > 0 && more < kMostRepeats)) throw Refusal("an interpolation by a scale this close to 1 needs fixed sizes");
    Dims pads(2 * r.axes.size() + 4, 0);
    pads.back() = static_cast<std::int64_t>(more) + 1;
    r.x = b.pad(r.x, pads, "edge");
    Value* y = resize(b, r, scales_of(b, r));
    for (std::size_t i = 0; i < r.axes.size(); ++i)
      y = b.slice(y, b.int64s({0}), b.reshape(output_size(b, asked, i), Dims{1}), b.int64s({static_cast<std::int64_t>(i) + 2}));
    return y;
  }
  Value* scales = scales_of(b, r);
  if (std::any_of(asked.axes.begin(), asked.axes.end(), [&](const Axis& a) { return sizes_override(asked, a); })) {
    Values parts{floats(b, {1, 1})};
    for (std::size_t i = 0; i < r.axes.size(); ++i)
      parts.push_back(b.reshape(scale_at_run_time(b, asked, i, *r.axes[i].scale), Dims{1}));
    scales = b.concat(parts, 0);
  }
  Value* y = resize(b, r, scales);
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    bool gives_more = false;
    for (std::int64_t size = 0; size < kSizes && !gives_more; ++size)
      gives_more = resized_size(*r.axes[i].scale, size) > scaled_size(*asked.axes[i].scale, size);
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    if (gives_more)
      y = b.slice(y, b.int64s({0}), b.reshape(output_size(b, asked, i), Dims{1}), b.int64s({axis}));
  }
  return y;
}

Value* interpolate(const Op& op, Request r) {
  Builder& b = op.builder();
  const DType dtype = r.x->facts().dtype;
  if (!r.is_nearest() && dtype == DType::UInt8) return bytes_between(op, r);
  if (!r.is_nearest() && !ir::is_floating(dtype)) op.refuse("interpolation of integers other than by nearest has no ONNX form");
  for (Axis& a : r.axes)
    if (a.scale && a.in && a.out && !r.align_corners) a.scale = scale_by_sizes(r, *a.in, *a.out).value_or(*a.scale);
  if (r.axes.front().open_scale) {
    if (r.antialias || r.is_nearest() || !r.align_corners) return at_run_time(op, r);
    r.sizes = output_sizes(b, r);
    for (Axis& a : r.axes) a.open_scale = nullptr;
  }
  // Scales beside an output size: their quotient must be the same size.
  bool by_scales = r.has_scales();
  for (const Axis& a : r.axes) {
    if (!r.sizes || !a.scale || r.align_corners) continue;
    const bool agrees = a.in && a.out && resized_size(*a.scale, *a.in) == *a.out;
    if (r.is_fixed() && !agrees) return by_axis(b, r);
    if (!r.is_fixed() && (a.is_apart || (a.in && a.out && !agrees))) return at_run_time(op, r);
  }
  if (r.sizes && r.align_corners) by_scales = false;
  if (r.sizes && !by_scales && !r.align_corners)
    for (const Axis& a : r.axes)
      if (a.scale) return r.is_fixed() ? by_axis(b, r) : at_run_time(op, r);

  if (dtype == DType::Float64) return r.is_fixed() ? by_axis(b, r) : at_run_time(op, r);  // for which ONNX Runtime has no kernel
  const std::int32_t resize_since = r.antialias ? 18 : 11;
  if (op.opset() < resize_since) {
    if (r.is_nearest())
      if (Value* y = repetition(b, r)) return y;
    return r.is_fixed() ? by_axis(b, r) : at_run_time(op, r);
  }
  // With antialias, Resize aligns the corners in another way than LibTorch.
  if (r.antialias && r.align_corners) return r.is_fixed() ? by_axis(b, r) : at_run_time(op, r);
  if (by_scales && r.is_fixed() && !std::all_of(r.axes.begin(), r.axes.end(), gives_size)) return by_axis(b, r);
  if (is_copied(r) && r.is_fixed()) return by_axis(b, r);
  if (is_copied(r) && r.is_nearest()) return nearest_at_run_time(b, r);
  const bool has_kernel = dtype == DType::Float32 || dtype == DType::Float16 || (r.is_nearest() && dtype == DType::UInt8);
  if (r.is_fixed() && (!has_kernel || !nearest_agrees(r))) return by_axis(b, r);
  if (!nearest_agrees(r)) return nearest_at_run_time(b, r);
  return by_scales && !r.is_fixed() && !r.is_nearest() ? resize_open(b, r) : resize(b, r, by_scales ? scales_of(b, r) : nullptr);
}

template <Kind kind, int Axes>
Outputs upsample(Op& op) {
  return interpolate(op, request_of(op, kind, Axes));
}

template <Kind kind>
Outputs upsample_antialias(Op& op) {
  Request r = request_of(op, kind, 2);
  r.antialias = true;
  return interpolate(op, r);
}

// One number an axis of an argument that is one for all, or a list; none where it is None.
std::vector<double> factors_of(const Op& op, std::string_view argument, std::size_t count) {
  if (op.is_none(argument)) return {};
  if (!op.source(argument)->type().is(ir::Type::Kind::List)) return std::vector<double>(count, op.number(argument));
  const std::vector<double> factors = numbers(op, argument);
  if (factors.size() != count) op.refuse_argument(argument, "must have one number an axis");
  return factors;
}

// TorchScript's builtins by the name of the mode: sizes, or those that the scales give. The scales themselves place the elements
// where they are not to be computed anew alone.
Outputs by_mode(Op& op, const std::string& mode, bool align_corners) {
  Builder& b = op.builder();
  Request r;
  r.x = op.tensor("input");
  r.align_corners = align_corners;
  const std::size_t count = static_cast<std::size_t>(std::max<std::int64_t>(op.rank_of(r.x) - 2, 0));
  static constexpr std::string_view kLinear[] = {"linear", "bilinear", "trilinear"};
  if (count == 0 || count > 3) op.refuse_argument("input", "must have three, four or five axes");
  if (mode == kLinear[count - 1]) r.kind = Kind::Linear;
  else if (mode == "bicubic" && count == 2) r.kind = Kind::Cubic;
  else if (mode != "nearest") op.refuse_argument("mode", "'" + mode + "' has no form by this name; call torch.nn.functional.interpolate");
  const std::vector<double> factors = factors_of(op, "scale_factor", count);
  const bool has_sizes = !op.is_none("size"), is_list = op.source("size")->type().is(ir::Type::Kind::List);
  if (has_sizes != factors.empty()) op.refuse("one of size and scale_factor is needed");
  const bool by_scales = !has_sizes && op.has("recompute_scale_factor") && !op.is_none("recompute_scale_factor") && !op.flag("recompute_scale_factor");
  Values sizes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    Axis a;
    a.in = op.fixed_size(r.x, axis);
    if (!has_sizes) a.scale = factors[i];
    if (!has_sizes && a.in) a.out = scaled_size(factors[i], *a.in);
    if (has_sizes && op.is_constant("size")) a.out = is_list ? op.integers("size").at(i) : op.integer("size");
    r.axes.push_back(a);
    if (!has_sizes) sizes.push_back(a.out ? b.int64s({*a.out}) : b.reshape(output_size(b, r, i), Dims{1}));
    else if (!is_list) sizes.push_back(b.reshape(op.scalar("size", DType::Int64), Dims{1}));
    if (!by_scales) r.axes[i].scale.reset();
  }
  if (!by_scales) r.sizes = is_list && has_sizes ? op.int_vector("size") : b.join_sizes(sizes);
  return interpolate(op, r);
}

Outputs interpolate_builtin(Op& op) {
  if (op.has("antialias") && op.flag("antialias")) op.refuse_argument("antialias", "must be False");
  return by_mode(op, op.text("mode"), !op.is_none("align_corners") && op.flag("align_corners"));
}
Outputs upsample_nearest(Op& op) { return by_mode(op, "nearest", false); }
Outputs upsample_bilinear(Op& op) { return by_mode(op, "bilinear", true); }

constexpr Row kRows[] = {
    {"aten::__interpolate", 7, interpolate_builtin},
    {"aten::__upsample", 7, interpolate_builtin},
    {"aten::__upsample_nearest", 7, upsample_nearest},
    {"aten::__upsample_bilinear", 7, upsample_bilinear},
    {"aten::upsample_nearest1d", 7, upsample<Kind::Nearest, 1>},
    {"aten::upsample_nearest2d", 7, upsample<Kind::Nearest, 2>},
    {"aten::upsample_nearest3d", 7, upsample<Kind::Nearest, 3>},
    {"aten::_upsample_nearest_exact1d", 7, upsample<Kind::NearestExact, 1>},
    {"aten::_upsample_nearest_exact2d", 7, upsample<Kind::NearestExact, 2>},
    {"aten::_upsample_nearest_exact3d", 7, upsample<Kind::NearestExact, 3>},
    {"aten::upsample_linear1d", 7, upsample<Kind::Linear, 1>},
    {"aten::upsample_bilinear2d", 7, upsample<Kind::Linear, 2>},
    {"aten::upsample_trilinear3d", 7, upsample<Kind::Linear, 3>},
    {"aten::upsample_bicubic2d", 7, upsample<Kind::Cubic, 2>},
    {"aten::_upsample_bilinear2d_aa", 7, upsample_antialias<Kind::Linear>},
    {"aten::_upsample_bicubic2d_aa", 7, upsample_antialias<Kind::Cubic>},
};

}  // namespace

std::span<const Row> resize_rows() { return kRows; }

}  // namespace tonnx::lower
