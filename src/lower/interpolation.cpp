#include "lower/interpolation.h"

#include <cmath>
#include <set>

#include "lower/elementwise.h"
#include "lower/spatial.h"

namespace tonnx::lower::interpolation {

std::vector<double> constant_numbers(const Op& op, std::string_view argument) {
  const ir::Constant* c = op.constant(argument);
  const ir::Constant::List* list = c ? c->get<ir::Constant::List>() : nullptr;
  if (!list) op.refuse_argument(argument, "must be a constant list of numbers; it depends on the model's inputs");
  std::vector<double> result;
  for (const ir::Constant& item : list->items) result.push_back(item.as_double());
  return result;
}

namespace {

// One rank-0 float64 scalar for each axis, for dynamic values; a single scalar counts for all axes.
Values open_numbers(const Op& op, std::string_view argument, std::int64_t count) {
  Builder& b = op.builder();
  Value* list = op.vector_of(op.source(argument), DType::Float64);
  const auto length = op.fixed_size(list, 0);
  if (length && *length != 1 && *length != count) op.refuse_argument(argument, "must have one number for each axis");
  Values numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(b.gather(list, b.int64(length == 1 ? 0 : i), 0));
  return numbers;
}

// The scale arguments of the overloads with an output size: "scales", or "scales_d", "scales_h", "scales_w".
std::optional<double> scale_argument(const Op& op, std::int64_t axis, std::int64_t count) {
  static constexpr const char* kNames[] = {"scales_d", "scales_h", "scales_w"};
  const char* name = count == 1 ? "scales" : kNames[3 - count + axis];
  return op.has(name) ? op.maybe_number(name) : std::nullopt;
}

}  // namespace

std::int64_t scaled_size(double scale, std::int64_t size) {
  return static_cast<std::int64_t>(static_cast<double>(size) * scale);
}
std::int64_t resized_size(double scale, std::int64_t size) {
  return static_cast<std::int64_t>(std::floor(static_cast<float>(size) * static_cast<float>(scale)));
}

bool resizes_equally(const Axis& a) {
  const auto inferred =
      static_cast<std::int64_t>(static_cast<double>(*a.in) * static_cast<double>(static_cast<float>(*a.scale)));
  return resized_size(*a.scale, *a.in) == *a.out && inferred == *a.out;
}

namespace {

bool is_multiple(const ir::Dim& out, const ir::Dim& in) {
  constexpr std::int64_t kMost = 64;
  if (!out.is_symbolic() || !in.is_symbolic()) return false;
  for (std::int64_t k = 1; k <= kMost; ++k)
    if (*out.polynomial() == *in.polynomial() * ir::Polynomial(k)) return true;
  return false;
}

// True if the scale may yield another size than `out` from `in`. An unknown size may be any.
bool may_differ_from_scale(const ir::Dim& out, const ir::Dim& in, double scale) {
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

}  // namespace

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
    factors = constant_numbers(op, "scale_factors");
    if (factors.size() == 1) factors.assign(static_cast<std::size_t>(count), factors.front());
    if (static_cast<std::int64_t>(factors.size()) != count)
      op.refuse_argument("scale_factors", "must have one number for each axis");
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
    a.may_differ_from_scale = has_sizes && a.scale;
    if (const auto& dims = op.node().output()->facts().dims; dims && static_cast<std::int64_t>(dims->size()) == rank) {
      const ir::Dim &out = (*dims)[at + 2], &in = (*r.x->facts().dims)[at + 2];
      a.is_multiple = is_multiple(out, in);
      a.may_differ_from_scale = a.may_differ_from_scale && may_differ_from_scale(out, in, *a.scale);
    }
    r.axes.push_back(a);
  }
  if (has_sizes) r.sizes = op.int_vector("output_size");
  return r;
}

namespace {

// The distance between two outputs in units of the input, as LibTorch computes it.
double step_of(const Request& r, const Axis& a) {
  if (r.align_corners) return *a.out > 1 ? static_cast<double>(*a.in - 1) / static_cast<double>(*a.out - 1) : 0;
  return a.scale ? 1 / *a.scale : static_cast<double>(*a.in) / static_cast<double>(*a.out);
}

}  // namespace

std::int64_t nearest_source(Kind kind, float step, std::int64_t i) {
  const float at = kind == Kind::NearestExact ? (static_cast<float>(i) + 0.5f) * step : static_cast<float>(i) * step;
  return static_cast<std::int64_t>(std::floor(at));
}

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

std::int64_t resize_source(Kind kind, float scale, std::int64_t i) {
  const float at = kind == Kind::NearestExact ? std::floor((static_cast<float>(i) + 0.5f) / scale - 0.5f + 0.5f)
                                              : std::floor(static_cast<float>(i) / scale);
  return static_cast<std::int64_t>(at);
}

Dims nearest_sources(const Request& r, const Axis& a) {
  const float step =
      a.scale ? static_cast<float>(1 / *a.scale) : static_cast<float>(*a.in) / static_cast<float>(*a.out);
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

namespace {

double cubic(double x, double a) {
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

}  // namespace

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
          if (pass == 0)
            total += w;
          else if (total != 0)
            at(i, o) += w / total;
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

Value* matrix_constant(Builder& b, const std::vector<double>& values, std::int64_t rows, std::int64_t columns,
                       DType dtype) {
  std::vector<std::byte> bytes(values.size() * ir::size_of(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) ir::store(dtype, values[i], bytes.data() + i * ir::size_of(dtype));
  return b.constant(ir::Tensor::from_bytes(dtype, {rows, columns}, bytes.data(), bytes.size()));
}

Value* weighted(Builder& b, Value* x, std::int64_t axis, Value* weights) {
  const std::int64_t last = x->facts().rank() - 1;
  return b.swap_axes(b.matmul(b.swap_axes(x, axis, last), weights), axis, last);
}

Value* by_axis(Builder& b, const Request& r) {
  Value* x = r.x;
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    const Axis& a = r.axes[i];
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    if (r.is_nearest()) {
      const Dims sources = nearest_sources(r, a);
      bool same = *a.in == *a.out;
      for (std::size_t k = 0; k < sources.size(); ++k) same = same && sources[k] == static_cast<std::int64_t>(k);
      if (!same) x = b.take(x, b.int64s(sources), axis);
    } else {
      x = weighted(b, x, axis, matrix_constant(b, weights_of(r, a), *a.in, *a.out, x->facts().dtype));
    }
  }
  return x == r.x ? b.op("Identity", {x}) : x;
}

}  // namespace tonnx::lower::interpolation
