#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lower/families.h"
#include "lower/interpolation.h"

namespace tonnx::lower::interpolation {
namespace {

constexpr double kMostRepeats = 1024;

// Enlargement by an integer factor through repetition: Upsample at opsets 7 to 9, Resize at 10.
Value* repetition(Builder& b, const Request& r) {
  std::vector<double> scales{1, 1};
  for (const Axis& a : r.axes) {
    double scale = 0;
    if (a.in && a.out && *a.in > 0 && *a.out % *a.in == 0)
      scale = static_cast<double>(*a.out) / static_cast<double>(*a.in);
    else if (!r.sizes && a.scale)
      scale = *a.scale;
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

// The quotients of known sizes, if they reproduce these sizes; else null.
Value* quotients_of(Builder& b, Request r) {
  for (Axis& a : r.axes) {
    if (!a.in || !a.out || *a.in == 0) return nullptr;
    a.scale = static_cast<double>(*a.out) / static_cast<double>(*a.in);
    if (!resizes_equally(a)) return nullptr;
  }
  return scales_of(b, r);
}

// Resize from opset 11 on; by its sizes if `scales` is null. Names sizes of dynamic batches and channels by the
// attribute `axes` from opset 18 on, unless the target has Defect::ResizeAxes.
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
  } else if (b.opset() >= 18 && !b.avoids(ir::Defect::ResizeAxes)) {
    Dims axes(r.axes.size());
    std::iota(axes.begin(), axes.end(), 2);
    attributes.push_back({"axes", axes});
  } else {
    sizes = b.concat({b.slice(b.shape(r.x), 0, 0, 2), sizes}, 0);
  }
  return b.op("Resize", {r.x, roi, none, sizes}, std::move(attributes));
}

// True if Resize reads exactly LibTorch's elements. It divides by the quotient of the sizes, which may be rounded down
// below an integer (49 to 7).
bool nearest_agrees(const Request& r) {
  if (!r.is_nearest()) return true;
  return std::all_of(r.axes.begin(), r.axes.end(), [&](const Axis& a) {
    if (a.in && a.out) return nearest_sources(r, a) == resize_sources(r, a) && (!a.scale || resizes_equally(a));
    if (!a.scale) return a.is_multiple;
    if (sizes_override(r, a)) return false;
    for (std::int64_t i = 0; i < kSizes; ++i)
      if (resized_size(*a.scale, i) != scaled_size(*a.scale, i) ||
          nearest_source(r.kind, static_cast<float>(1 / *a.scale), i) !=
              resize_source(r.kind, static_cast<float>(*a.scale), i))
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

// True if the target may copy the input although a scale moves its elements (Defect::ResizeCopy).
bool is_copied(const Builder& b, const Request& r) {
  if (!b.avoids(ir::Defect::ResizeCopy)) return false;
  const auto moves = [](const Axis& a) { return a.scale && *a.scale != 1 && stays(a, 2); };
  return !r.align_corners && !keeps_size(r) && std::any_of(r.axes.begin(), r.axes.end(), moves) &&
         std::all_of(r.axes.begin(), r.axes.end(), [](const Axis& a) { return stays(a, 1); });
}

// Linear and cubic interpolation with dynamic scales and input sizes.
Value* resize_open(Builder& b, Request r) {
  const Request request = r;
  if (r.align_corners) {
    r.sizes = output_sizes(b, request);  // they alone determine the corresponding elements
    return resize(b, r, nullptr);
  }
  // A float32 scale that is not below LibTorch's never yields too few elements.
  for (Axis& a : r.axes)
    if (static_cast<float>(*a.scale) < *a.scale)
      a.scale = std::nextafter(static_cast<float>(*a.scale), std::numeric_limits<float>::infinity());
  if (is_copied(b, r)) {
    // Cubic interpolation clamps at the edges, so repeating the last element does not change it, and makes every size
    // grow.
    const double more = std::ceil(1 / (*request.axes.back().scale - 1));
    if (!(more > 0 && more < kMostRepeats))
      throw Refusal("an interpolation by a scale this close to 1 needs fixed sizes");
    Dims pads(2 * r.axes.size() + 4, 0);
    pads.back() = static_cast<std::int64_t>(more) + 1;
    r.x = b.pad(r.x, pads, "edge");
    Value* y = resize(b, r, scales_of(b, r));
    for (std::size_t i = 0; i < r.axes.size(); ++i)
      y = b.slice(y, b.int64s({0}), b.reshape(output_size(b, request, i), Dims{1}),
                  b.int64s({static_cast<std::int64_t>(i) + 2}));
    return y;
  }
  Value* scales = scales_of(b, r);
  if (std::any_of(request.axes.begin(), request.axes.end(),
                  [&](const Axis& a) { return sizes_override(request, a); })) {
    Values parts{floats(b, {1, 1})};
    for (std::size_t i = 0; i < r.axes.size(); ++i)
      parts.push_back(b.reshape(scale_at_run_time(b, request, i, *r.axes[i].scale), Dims{1}));
    scales = b.concat(parts, 0);
  }
  Value* y = resize(b, r, scales);
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    bool is_larger = false;
    for (std::int64_t size = 0; size < kSizes && !is_larger; ++size)
      is_larger = resized_size(*r.axes[i].scale, size) > scaled_size(*request.axes[i].scale, size);
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    if (is_larger) y = b.slice(y, b.int64s({0}), b.reshape(output_size(b, request, i), Dims{1}), b.int64s({axis}));
  }
  return y;
}

Value* interpolate(const Op& op, Request r) {
  Builder& b = op.builder();
  const DType dtype = r.x->facts().dtype;
  if (!r.is_nearest() && dtype == DType::UInt8) return bytes_between(op, r);
  if (!r.is_nearest() && !ir::is_floating(dtype))
    op.refuse("interpolation of integers other than by nearest has no ONNX form");
  for (Axis& a : r.axes)
    if (a.scale && a.in && a.out && !r.align_corners) a.scale = scale_by_sizes(r, *a.in, *a.out).value_or(*a.scale);
  if (r.axes.front().open_scale) {
    if (r.antialias || r.is_nearest() || !r.align_corners) return at_run_time(op, r);
    r.sizes = output_sizes(b, r);
    for (Axis& a : r.axes) a.open_scale = nullptr;
  }
  // Scales next to an output size: allowed only if they yield the same size.
  bool by_scales = r.has_scales();
  for (const Axis& a : r.axes) {
    if (!r.sizes || !a.scale || r.align_corners) continue;
    const bool agrees = a.in && a.out && resized_size(*a.scale, *a.in) == *a.out;
    if (r.is_fixed() && !agrees) return by_axis(b, r);
    if (!r.is_fixed() && (a.may_differ_from_scale || (a.in && a.out && !agrees))) return at_run_time(op, r);
  }
  if (r.sizes && r.align_corners) by_scales = false;
  if (r.sizes && !by_scales && !r.align_corners)
    for (const Axis& a : r.axes)
      if (a.scale) return r.is_fixed() ? by_axis(b, r) : at_run_time(op, r);

  if (!b.serves("Resize", r.x)) return r.is_fixed() ? by_axis(b, r) : at_run_time(op, r);
  const std::int32_t resize_since = r.antialias ? 18 : 11;
  if (op.opset() < resize_since) {
    if (r.is_nearest())
      if (Value* y = repetition(b, r)) return y;
    return r.is_fixed() ? by_axis(b, r) : at_run_time(op, r);
  }
  // With antialias, Resize aligns the corners differently than LibTorch.
  if (r.antialias && r.align_corners) return r.is_fixed() ? by_axis(b, r) : at_run_time(op, r);
  if (by_scales && r.is_fixed() && !std::all_of(r.axes.begin(), r.axes.end(), resizes_equally)) return by_axis(b, r);
  if (is_copied(b, r) && r.is_fixed()) return by_axis(b, r);
  if (is_copied(b, r) && r.is_nearest()) return nearest_at_run_time(b, r);
  if (r.is_fixed() && (b.avoids(ir::Defect::ResizeIntegers, dtype) || !nearest_agrees(r))) return by_axis(b, r);
  if (!nearest_agrees(r)) return nearest_at_run_time(b, r);
  return by_scales && !r.is_fixed() && !r.is_nearest() ? resize_open(b, r)
                                                       : resize(b, r, by_scales ? scales_of(b, r) : nullptr);
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

// One number for each axis of an argument that is a number or a list; empty for None.
std::vector<double> factors_of(const Op& op, std::string_view argument, std::size_t count) {
  if (op.is_none(argument)) return {};
  if (!op.source(argument)->type().is(ir::Type::Kind::List)) return std::vector<double>(count, op.number(argument));
  const std::vector<double> factors = constant_numbers(op, argument);
  if (factors.size() != count) op.refuse_argument(argument, "must have one number for each axis");
  return factors;
}

// TorchScript's builtins with a mode name: the sizes are specified or computed from the scales. The scales themselves
// also place the elements, unless recompute_scale_factor is set.
Outputs by_mode(Op& op, const std::string& mode, bool align_corners) {
  Builder& b = op.builder();
  Request r;
  r.x = op.tensor("input");
  r.align_corners = align_corners;
  const std::size_t count = static_cast<std::size_t>(std::max<std::int64_t>(op.rank_of(r.x) - 2, 0));
  static constexpr std::string_view kLinear[] = {"linear", "bilinear", "trilinear"};
  if (count == 0 || count > 3) op.refuse_argument("input", "must have three, four or five axes");
  if (mode == kLinear[count - 1])
    r.kind = Kind::Linear;
  else if (mode == "bicubic" && count == 2)
    r.kind = Kind::Cubic;
  else if (mode != "nearest")
    op.refuse_argument("mode", "'" + mode + "' is not supported here; call torch.nn.functional.interpolate");
  const std::vector<double> factors = factors_of(op, "scale_factor", count);
  const bool has_sizes = !op.is_none("size"), is_list = op.source("size")->type().is(ir::Type::Kind::List);
  if (has_sizes != factors.empty()) op.refuse("it needs exactly one of size and scale_factor");
  const bool by_scales = !has_sizes && op.has("recompute_scale_factor") && !op.is_none("recompute_scale_factor") &&
                         !op.flag("recompute_scale_factor");
  Values sizes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t axis = static_cast<std::int64_t>(i) + 2;
    Axis a;
    a.in = op.fixed_size(r.x, axis);
    if (!has_sizes) a.scale = factors[i];
    if (!has_sizes && a.in) a.out = scaled_size(factors[i], *a.in);
    if (has_sizes && op.is_constant("size")) a.out = is_list ? op.integers("size").at(i) : op.integer("size");
    r.axes.push_back(a);
    if (!has_sizes)
      sizes.push_back(a.out ? b.int64s({*a.out}) : b.reshape(output_size(b, r, i), Dims{1}));
    else if (!is_list)
      sizes.push_back(b.reshape(op.scalar("size", DType::Int64), Dims{1}));
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

constexpr Row kResizeRows[] = {
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
}  // namespace tonnx::lower::interpolation

namespace tonnx::lower {

std::span<const Row> resize_rows() { return interpolation::kResizeRows; }

}  // namespace tonnx::lower
