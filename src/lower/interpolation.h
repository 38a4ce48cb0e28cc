#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "lower/op.h"

// Interpolation (upsample operators): the request, the elements and weights that LibTorch reads, and models of it
// without Resize. Axes are the spatial ones, after batch and channels.
namespace tonnx::lower::interpolation {

enum class Kind { Nearest, NearestExact, Linear, Cubic };

struct Axis {
  std::optional<double> scale;  // as specified; else output size / input size
  std::optional<std::int64_t> in, out;
  bool is_multiple = false;            // the output size is a multiple of the input size in every run
  bool may_differ_from_scale = false;  // the output size is specified and may differ from scale * input size
  Value* open_scale = nullptr;         // the specified scale if it is dynamic: float64, rank 0
};

struct Request {
  Kind kind = Kind::Nearest;
  bool align_corners = false;
  bool antialias = false;
  Value* x = nullptr;
  std::vector<Axis> axes;
  Value* sizes = nullptr;  // rank-1 int64; null if the scales determine the sizes

  bool is_nearest() const { return kind == Kind::Nearest || kind == Kind::NearestExact; }
  bool is_fixed() const {
    return std::all_of(axes.begin(), axes.end(), [](const Axis& a) { return a.in && a.out; });
  }
  bool has_scales() const {
    return std::all_of(axes.begin(), axes.end(), [](const Axis& a) { return a.scale.has_value(); });
  }
};

// The arguments of a LibTorch upsample operator with `count` spatial axes.
Request request_of(const Op& op, Kind kind, std::int64_t count);
// A list argument; refuses one that depends on the model's inputs.
std::vector<double> constant_numbers(const Op& op, std::string_view argument);

// The output size for a scale, in LibTorch and in Resize.
std::int64_t scaled_size(double scale, std::int64_t size);
std::int64_t resized_size(double scale, std::int64_t size);
// True if Resize computes LibTorch's output size for an axis of known sizes.
bool resizes_equally(const Axis& a);

// LibTorch's kernels ignore the scale of an axis whose size stays equal or doubles. scale_by_sizes() returns the scale
// that they use then.
bool keeps_size(const Request& r);
bool doubles_size(const Request& r);
std::optional<double> scale_by_sizes(const Request& r, std::int64_t in, std::int64_t out);

// The input index of output i of a nearest interpolation, computed in float32 as in LibTorch; not clamped to the last
// element.
std::int64_t nearest_source(Kind kind, float step, std::int64_t i);
// The same as Resize defines it, from a float32 scale.
std::int64_t resize_source(Kind kind, float scale, std::int64_t i);
// The input indices of all outputs of an axis of known sizes.
Dims nearest_sources(const Request& r, const Axis& a);
Dims resize_sources(const Request& r, const Axis& a);

// The weight of each input in each output of an axis of known sizes: a row-major matrix (in, out).
std::vector<double> weights_of(const Request& r, const Axis& a);
Value* matrix_constant(Builder& b, const std::vector<double>& values, std::int64_t rows, std::int64_t columns,
                       DType dtype);

// Multiplies axis `axis` of x with such a matrix, of x's dtype.
Value* weighted(Builder& b, Value* x, std::int64_t axis, Value* weights);

// Interpolation between fixed sizes at any opset: a gather, or a product with the weights, along each axis.
Value* by_axis(Builder& b, const Request& r);

constexpr std::int64_t kSizes = 8192;  // the number of sizes of a dynamic axis that are tried

// True if a dynamic axis may have sizes at which LibTorch ignores the scale. A size of 1 does not count, because any
// scale has the same result there.
bool sizes_override(const Request& r, const Axis& a);
// The output size of axis i + 2, as an int64 scalar; of all axes, as a vector.
Value* output_size(Builder& b, const Request& r, std::size_t i);
Value* output_sizes(Builder& b, const Request& r);
// The scale of axis i + 2, as a float32 scalar; `given` unless LibTorch ignores it at these sizes.
Value* scale_at_run_time(Builder& b, const Request& r, std::size_t i, double given);

// Nearest interpolation with dynamic sizes: below opset 11, and where Resize would read other elements than LibTorch.
Value* nearest_at_run_time(Builder& b, const Request& r);
// Interpolation with dynamic sizes and scales, without Resize.
Value* at_run_time(const Op& op, const Request& r);
// LibTorch's linear and cubic interpolation of uint8: the last axis first, with 16-bit integer weights, and rounded to
// uint8 between axes.
Value* bytes_between(const Op& op, const Request& r);

}  // namespace tonnx::lower::interpolation
